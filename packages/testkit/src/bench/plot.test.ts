import { describe, expect, it } from '@jest/globals';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { plotSvg } from './plot.ts';
import type { BenchRecord } from './record.ts';

function record(subject: string, n: number, seconds: number): BenchRecord {
  return {
    subject,
    flow: 'node',
    n,
    seconds,
    floorSeconds: Math.max(0, (n - 50) / 5),
    ratio: null,
    latencySeconds: { p50: 1, p99: 1 },
    calls: {},
    throttled: 0,
    violations: 0,
    peakRssBytes: 0,
    cpuSeconds: 0,
  };
}

/** Centres of the dots, in order. */
function dots(svg: string): readonly { readonly x: number; readonly y: number }[] {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    isArray: (name) => name === 'circle',
  });
  const { svg: root }: { svg: { circle: { cx: string; cy: string }[] } } = parser.parse(svg);
  return root.circle.map(({ cx, cy }) => ({ x: Number(cx), y: Number(cy) }));
}

describe('plot', () => {
  it('is well-formed whatever the names, and shows a dot for each record', () => {
    const svg = plotSvg([record('a<b> & "c"', 50, 1), record('a<b> & "c"', 200, 31), record('peer', 50, 40)]);
    expect(XMLValidator.validate(svg)).toBe(true);
    expect(dots(svg)).toHaveLength(3);
  });

  it('puts more nodes to the right and more seconds higher up', () => {
    const [left, right] = dots(plotSvg([record('a', 500, 93), record('a', 200, 31)]));
    expect(left?.x).toBeLessThan(right?.x ?? 0);
    expect(left?.y).toBeGreaterThan(right?.y ?? 0);
  });

  it('has a scale also for a single quick run', () => {
    expect(plotSvg([record('a', 1, 0.1)])).not.toContain('NaN');
  });
});
