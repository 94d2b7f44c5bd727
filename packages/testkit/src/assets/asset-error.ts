/** Thrown when a test asset cannot be had; the message says what to do. */
export class AssetError extends Error {
  override readonly name = 'AssetError';
}
