import { describe, expect, it } from '@jest/globals';
import pc from 'picocolors';
import { createNarrator } from './narrator.ts';

function narrate(options: { readonly isTerminal: boolean; readonly colour?: boolean }) {
  let output = '';
  let nowMs = 0;
  const narrator = createNarrator({
    write: (text) => (output += text),
    colours: pc.createColors(options.colour ?? false),
    isTerminal: options.isTerminal,
    nowMs: () => nowMs,
  });
  return { narrator, output: () => output, pass: (ms: number) => (nowMs += ms) };
}

describe('narrator', () => {
  it('numbers the steps, and ticks off work with its time', async () => {
    const { narrator, output, pass } = narrate({ isTerminal: false });
    narrator.title('First');
    await narrator.tick('work', async () => pass(1_240));
    narrator.title('Second');
    expect(output()).toBe('\n1. First\n  ✓ work (1.2 s)\n\n2. Second\n');
  });

  it('shows at a terminal what is under way, and overwrites it', async () => {
    const { narrator, output } = narrate({ isTerminal: true });
    await narrator.tick('work', async () => undefined);
    expect(output()).toBe('  … work\r\u001b[2K  ✓ work (0.0 s)\n');
  });

  it('marks the work that fails and passes the error on', async () => {
    const { narrator, output } = narrate({ isTerminal: false });
    await expect(narrator.tick('work', () => Promise.reject(new Error('why')))).rejects.toThrow('why');
    expect(output()).toBe('  ✗ work\n');
  });

  it('indents what programs show, coloured only when colours are on', () => {
    const plain = narrate({ isTerminal: false });
    plain.narrator.show('a\nb\n', 'cat file');
    expect(plain.output()).toBe('    cat file\n    a\n    b\n');
    const coloured = narrate({ isTerminal: false, colour: true });
    coloured.narrator.show('a');
    expect(coloured.output()).toBe('    \u001b[36ma\u001b[39m\n');
  });
});
