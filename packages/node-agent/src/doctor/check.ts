/** One line of the diagnosis; `schemas/cli/doctor.schema.json` describes the printed form. */
export interface Check {
  /** `node` or `pod <namespace>/<name>`. */
  readonly subject: string;
  /** What was looked at, such as `tags`. */
  readonly check: string;
  /** `note`: neither good nor bad. */
  readonly verdict: 'ok' | 'note' | 'problem';
  readonly found: string;
  /** What to do about a problem. */
  readonly fix: string | null;
}

type Said = Omit<Check, 'subject'>;

/** All is well. */
export function fine(check: string, found: string): Said {
  return { check, verdict: 'ok', found, fix: null };
}

/** Worth knowing. */
export function note(check: string, found: string): Said {
  return { check, verdict: 'note', found, fix: null };
}

/** Something is wrong. */
export function problem(check: string, found: string, fix: string): Said {
  return { check, verdict: 'problem', found, fix };
}

/** The same lines about a subject. */
export function about(subject: string, lines: readonly Said[]): readonly Check[] {
  return lines.map((line) => ({ subject, ...line }));
}

/** A line before it is known whom it is about. */
export type Line = Said;
