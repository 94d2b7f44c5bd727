/** Put in by scripts/build.ts from package.json. */
declare const PACKAGE_VERSION: string | undefined;

/** The version of the bundle; `development` when the sources run directly. */
export const VERSION: string = typeof PACKAGE_VERSION === 'undefined' ? 'development' : PACKAGE_VERSION;
