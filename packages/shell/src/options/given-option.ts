/** What the user wrote, by option name, and where: checked by nobody yet. */
export interface GivenOption {
  readonly value: string | readonly string[];
  readonly from: 'flag' | 'environment';
}

/** First stage: only what was given. */
export type GivenOptions = Readonly<Record<string, GivenOption>>;
