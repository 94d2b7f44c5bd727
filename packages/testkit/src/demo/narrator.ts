import type pc from 'picocolors';

type Colours = Pick<ReturnType<typeof pc.createColors>, 'bold' | 'dim' | 'green' | 'red' | 'cyan' | 'yellow'>;

/** Where the story is told, and how. */
export interface NarratorDeps {
  readonly write: (text: string) => void;
  readonly colours: Colours;
  /** Whether the output is a terminal, where the step under way can be shown and overwritten. */
  readonly isTerminal: boolean;
  readonly nowMs: () => number;
}

/** Tells a story in steps. A step is announced, then what was seen to be true is ticked off with its time. */
export interface Narrator {
  readonly title: (text: string) => void;
  /** Runs the work, then prints the line with its time; `text` is shown while it runs where that is possible. */
  readonly tick: <T>(text: string, work: () => Promise<T>) => Promise<T>;
  /** A remark between the ticks. */
  readonly say: (text: string) => void;
  /** A block of text as a program shows it, indented. */
  readonly show: (text: string, heading?: string) => void;
}

const INDENT = '    ';

/** A narrator for a person at a terminal, or for a log. */
export function createNarrator({ write, colours, isTerminal, nowMs }: NarratorDeps): Narrator {
  let steps = 0;
  return {
    title: (text) => write(`\n${colours.bold(`${++steps}. ${text}`)}\n`),
    async tick(text, work) {
      const startedMs = nowMs();
      if (isTerminal) write(`  ${colours.yellow('…')} ${text}`);
      const clear = isTerminal ? '\r\u001b[2K' : '';
      try {
        const result = await work();
        const seconds = ((nowMs() - startedMs) / 1000).toFixed(1);
        write(`${clear}  ${colours.green('✓')} ${text} ${colours.dim(`(${seconds} s)`)}\n`);
        return result;
      } catch (error) {
        write(`${clear}  ${colours.red('✗')} ${text}\n`);
        throw error;
      }
    },
    say: (text) => write(`  ${colours.dim(text)}\n`),
    show(text, heading) {
      if (heading !== undefined) write(`${INDENT}${colours.dim(heading)}\n`);
      for (const line of text.trimEnd().split('\n')) write(`${INDENT}${colours.cyan(line)}\n`);
    },
  };
}
