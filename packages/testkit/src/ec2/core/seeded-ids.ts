/** Makes the ids and numbers of one emulator: the same seed and the same calls give the same ids. */
export interface IdSource {
  /** An EC2 style id: the prefix, a dash and 17 hex digits. */
  id(prefix: string): string;
  /** A request id in UUID form. */
  requestId(): string;
  /** The next number of the sequence, starting at 1. */
  next(): number;
  /** How many numbers were drawn since the seed: the place from which a later source continues. */
  serial(): number;
}

/** A source that continues the sequence of `seed` after `serial` draws. */
export function createIdSource(seed: number, serial: number): IdSource {
  let drawn = serial;
  function next(): number {
    drawn += 1;
    return drawn;
  }
  function hex(digits: number): string {
    const draw = next();
    let text = '';
    for (let part = 0; text.length < digits; part++) text += mix(seed, draw, part).toString(16).padStart(8, '0');
    return text.slice(0, digits);
  }
  return {
    id: (prefix) => `${prefix}-0${hex(16)}`,
    requestId: () => hex(32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    next,
    serial: () => drawn,
  };
}

/** A well spread 32-bit number of three numbers, always the same for the same three. */
export function mix(seed: number, draw: number, part: number): number {
  let value = (seed ^ Math.imul(draw, 0x9e3779b1) ^ Math.imul(part + 1, 0x85ebca6b)) | 0;
  for (const factor of [0x7feb352d, 0x846ca68b, 0x9e3779b1]) {
    value = Math.imul(value ^ (value >>> 15), factor);
  }
  return (value ^ (value >>> 16)) >>> 0;
}

/** A number that orders records in a way that means nothing, different for every record and kept by it for life. */
export function orderOf(seed: number, ids: IdSource): number {
  const draw = ids.next();
  return mix(seed, draw, 3) * 2 ** 20 + (draw % 2 ** 20);
}
