/** The object an Event is about. Without a namespace it is cluster-scoped, and its Events go to `default`. */
export interface Regarding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid: string;
}

/** One thing worth telling the user. */
export interface EventRecord {
  readonly regarding: Regarding;
  readonly type: 'Normal' | 'Warning';
  /** UpperCamelCase, machine-readable, at most 128 characters. */
  readonly reason: string;
  /** UpperCamelCase verb: what was done or tried. */
  readonly action: string;
  /** For people; cut at 1024 bytes. */
  readonly note: string;
}
