import type { DueEffect } from './due.ts';
import type { World } from './model.ts';
import type { QueryNode } from './query.ts';
import type { IdSource } from './seeded-ids.ts';
import type { Ec2State } from './state.ts';
import type { WireObject } from './wire.ts';

/** Ways in which one read may be wrong on purpose. */
export interface ReadModes {
  /** Answers as if no filter had been sent. */
  readonly ignoreFilters: boolean;
  /** Answers an empty page with a token that leads to the first one. */
  readonly emptyPage: boolean;
}

/** What an action works on. */
export interface ActionContext {
  readonly state: Ec2State;
  /** The newest world: what writes are checked against. */
  readonly world: World;
  /** The world as reads see it, possibly an older one. */
  readonly view: World;
  readonly query: QueryNode;
  /** Milliseconds on the emulator's clock. */
  readonly now: number;
  /** The caller's access key id. */
  readonly principal: string;
  readonly modes: ReadModes;
  readonly ids: IdSource;
}

/** What an action answers, and the world after it (absent: unchanged). */
export interface ActionOutcome {
  readonly reply: WireObject;
  readonly world?: World;
  /** Effects to come. */
  readonly due?: readonly DueEffect[];
}

/** One action of the EC2 API. */
export interface Action {
  /** The parameters it knows, `#` standing for a list position; `DryRun` is known to all. */
  readonly params: readonly string[];
  /** @throws Ec2Error what EC2 would answer */
  readonly run: (context: ActionContext) => ActionOutcome;
}
