const SECRET_KEY = /authorization|credential|passw|secret|token|private.?key/i;
/** A user name and password inside a URL. */
const URL_LOGIN = /([a-z][a-z0-9+.-]*:\/\/)[^/\s@]+@/gi;
const MASK = '[redacted]';

/** A replacer for JSON.stringify that masks values by the name of their key, and logins inside URLs. */
export function redact(key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  // What goes into headers is for one reader only, whatever the names are.
  if (/^headers$/i.test(key)) return MASK;
  if (typeof value !== 'string') return SECRET_KEY.test(key) && typeof value === 'number' ? MASK : value;
  if (SECRET_KEY.test(key)) return MASK;
  return value.replaceAll(URL_LOGIN, `$1${MASK}@`);
}
