/** The oldest Node.js that our programs and their Kubernetes client run on. */
const OLDEST = { major: 22, minor: 19 };

/** One line on what to do when `version` (such as `20.20.2`) is too old; undefined when it is not. */
export function tooOldNode(program: string, version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  return `${program} needs Node.js ${OLDEST.major}.${OLDEST.minor} or newer; this is ${version}`;
}
