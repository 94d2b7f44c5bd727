/** `info`: what is reconciled; `debug`: the calls to the cloud as well. */
export type TraceLevel = 'off' | 'info' | 'debug';

/** Where traces are sent, and which. */
export interface TraceOptions {
  /** Undefined: nothing is traced. */
  readonly endpoint: string | undefined;
  /** Metadata of each request; may hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Attributes of all that is sent. */
  readonly fields: Readonly<Record<string, string>>;
  readonly level: TraceLevel;
  /** From 0 for none to 1 for all. */
  readonly sampleRate: number;
}
