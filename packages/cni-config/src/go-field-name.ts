/**
 * A field name as Go's encoding/json compares it: ASCII letters without case, plus the two other code points that
 * Unicode folds onto ASCII letters, the long s (U+017F) and the Kelvin sign (U+212A).
 * Source: foldName in https://go.dev/src/encoding/json/fold.go
 */
export function foldFieldName(name: string): string {
  return name.replaceAll(/[A-Z\u017F\u212A]/g, (char) => (char === '\u017F' ? 's' : char.toLowerCase()));
}

/** True when Go would store a member called `name` in the field called `field`. */
export function isGoField(name: string, field: string): boolean {
  return foldFieldName(name) === foldFieldName(field);
}
