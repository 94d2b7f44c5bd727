import type { BenchRecord } from './record.ts';

const WIDTH = 720;
const HEIGHT = 440;
const MARGIN = { top: 40, right: 160, bottom: 50, left: 60 };
const COLOURS = ['#0b6bcb', '#c2410c', '#15803d', '#7e22ce', '#b91c1c'];
const FLOOR_COLOUR = '#6b7280';

interface Point {
  readonly n: number;
  readonly seconds: number;
}

interface Series {
  readonly name: string;
  readonly colour: string;
  readonly points: readonly Point[];
  readonly isFloor: boolean;
}

/** An SVG image of seconds over their number, a line for each subject and flow, and one for the floor. */
export function plotSvg(records: readonly BenchRecord[]): string {
  const series = [floorOf(records), ...subjectsOf(records)];
  const all = series.flatMap(({ points }) => points);
  const scale = createScale(Math.max(1, ...all.map(({ n }) => n)), Math.max(1, ...all.map(({ seconds }) => seconds)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    text({ x: MARGIN.left, y: 22, size: 15 }, 'Seconds until all are served'),
    ...axes(scale),
    ...series.flatMap((each, index) => [line(each, scale), ...dots(each, scale), legend(each, index)]),
    '</svg>\n',
  ].join('\n');
}

function floorOf(records: readonly BenchRecord[]): Series {
  const points = byN(records.map(({ n, floorSeconds }) => ({ n, seconds: floorSeconds })));
  return { name: 'floor (EC2 limits)', colour: FLOOR_COLOUR, points, isFloor: true };
}

function nameOf({ subject, flow }: BenchRecord): string {
  return `${subject}, ${flow}`;
}

function subjectsOf(records: readonly BenchRecord[]): readonly Series[] {
  const names = [...new Set(records.map(nameOf))];
  return names.map((name, index) => ({
    name,
    colour: COLOURS[index % COLOURS.length] ?? 'black',
    points: byN(records.filter((record) => nameOf(record) === name)),
    isFloor: false,
  }));
}

function byN(points: readonly Point[]): readonly Point[] {
  return points.toSorted((left, right) => left.n - right.n);
}

interface Scale {
  readonly x: (n: number) => number;
  readonly y: (seconds: number) => number;
  readonly nTicks: readonly number[];
  readonly secondTicks: readonly number[];
}

function createScale(maxN: number, maxSeconds: number): Scale {
  const nTicks = ticks(maxN);
  const secondTicks = ticks(maxSeconds);
  const right = nTicks.at(-1) ?? maxN;
  const top = secondTicks.at(-1) ?? maxSeconds;
  return {
    x: (n) => MARGIN.left + (n / right) * (WIDTH - MARGIN.left - MARGIN.right),
    y: (seconds) => HEIGHT - MARGIN.bottom - (seconds / top) * (HEIGHT - MARGIN.top - MARGIN.bottom),
    nTicks,
    secondTicks,
  };
}

/** Round numbers from 0 to at least `max`, about five of them. */
function ticks(max: number): readonly number[] {
  const raw = max / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
  return Array.from({ length: Math.ceil(max / step) + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

function axes({ x, y, nTicks, secondTicks }: Scale): readonly string[] {
  const left = MARGIN.left;
  const right = WIDTH - MARGIN.right;
  const bottom = HEIGHT - MARGIN.bottom;
  return [
    ...secondTicks.flatMap((seconds) => [
      `<path d="M${left} ${y(seconds)}H${right}" stroke="#e5e7eb"/>`,
      text({ x: left - 8, y: y(seconds) + 4, anchor: 'end' }, String(seconds)),
    ]),
    ...nTicks.map((n) => text({ x: x(n), y: bottom + 18, anchor: 'middle' }, String(n))),
    `<path d="M${left} ${MARGIN.top}V${bottom}H${right}" stroke="black" fill="none"/>`,
    text({ x: (left + right) / 2, y: HEIGHT - 12, anchor: 'middle' }, 'nodes or pods at once'),
  ];
}

function line({ points, colour, isFloor }: Series, { x, y }: Scale): string {
  const path = points.map(({ n, seconds }, index) => `${index === 0 ? 'M' : 'L'}${x(n)} ${y(seconds)}`).join('');
  const dash = isFloor ? ' stroke-dasharray="6 4"' : '';
  return `<path d="${path}" stroke="${colour}" stroke-width="2" fill="none"${dash}/>`;
}

function dots({ points, colour, isFloor }: Series, { x, y }: Scale): readonly string[] {
  if (isFloor) return [];
  return points.map(
    ({ n, seconds }) =>
      `<circle cx="${x(n)}" cy="${y(seconds)}" r="4" fill="${colour}"><title>${n}: ${seconds} s</title></circle>`,
  );
}

function legend({ name, colour }: Series, index: number): string {
  const y = MARGIN.top + 20 * index;
  const x = WIDTH - MARGIN.right + 15;
  return `<path d="M${x} ${y}h18" stroke="${colour}" stroke-width="2"/>${text({ x: x + 24, y: y + 4 }, name)}`;
}

function text(
  { x, y, size, anchor }: { readonly x: number; readonly y: number; readonly size?: number; readonly anchor?: string },
  content: string,
): string {
  const attributes = `${size === undefined ? '' : ` font-size="${size}"`}${anchor === undefined ? '' : ` text-anchor="${anchor}"`}`;
  return `<text x="${x}" y="${y}"${attributes}>${escapeXml(content)}</text>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeXml(content: string): string {
  return content.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
