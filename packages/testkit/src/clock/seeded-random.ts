/**
 * A random source that gives the same numbers in [0, 1) for the same seed, for the random port of the product packages.
 * The generator is SplitMix (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014) in 32 bits:
 * a counter with an odd step, mixed so that neighbouring counts look unrelated. Not for secrets.
 */
export function createSeededRandom(seed: number): () => number {
  let counter = seed >>> 0;
  return () => {
    counter = (counter + 0x9e3779b9) >>> 0;
    let mixed = counter;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
