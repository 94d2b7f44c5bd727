/** Thrown when the world is not as the story tells it. */
class StoryError extends Error {
  override readonly name = 'StoryError';
}

/** @throws StoryError unless the condition holds */
export function claimThat(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new StoryError(otherwise);
}
