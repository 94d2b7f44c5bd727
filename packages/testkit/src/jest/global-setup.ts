/** Runs once before any test. */
export default async function globalSetup(): Promise<void> {}
