import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { configMaps } from '../testing/resources.test.fixture.ts';
import { parseWatchLine } from './watch-event.ts';
import { watchLines } from './watch-lines.ts';

const attempt = { what: 'watching things', fields: {} };

async function* stream(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

async function linesOf(chunks: readonly Buffer[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of watchLines(stream(chunks), attempt, () => undefined)) lines.push(line);
  return lines;
}

describe('watch lines', () => {
  it('finds the same lines wherever the stream is cut, also inside a character', async () => {
    const line = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => JSON.stringify({ text }));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat(60)), async (lines, cuts) => {
        const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''));
        const chunks: Buffer[] = [];
        let from = 0;
        for (const cut of cuts) {
          chunks.push(bytes.subarray(from, from + cut));
          from += cut;
        }
        chunks.push(bytes.subarray(from));
        expect(await linesOf(chunks)).toEqual(lines);
      }),
    );
  });

  it('refuses a stream that ends inside a line, and a line without end', async () => {
    await expect(linesOf([Buffer.from('{"type":"ADD')])).rejects.toMatchObject({ code: 'protocol' });
    const endless = Array.from({ length: 17 }, () => Buffer.alloc(1024 * 1024, 'x'));
    await expect(linesOf(endless)).rejects.toMatchObject({ code: 'protocol' });
  });
});

const parse = (event: unknown) => parseWatchLine(JSON.stringify(event), configMaps, attempt);
const status = (code: number, reason: string) => ({ type: 'ERROR', object: { kind: 'Status', code, reason } });

describe('watch events', () => {
  const object = { metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '5' } };

  it('reads changes and bookmarks', () => {
    expect(parse({ type: 'ADDED', object })).toMatchObject({ type: 'added', resourceVersion: '5' });
    expect(parse({ type: 'DELETED', object })).toMatchObject({ type: 'deleted', object: { metadata: { name: 'a' } } });
    const bookmark = { metadata: { resourceVersion: '9', creationTimestamp: null } };
    expect(parse({ type: 'BOOKMARK', object: bookmark })).toEqual({ type: 'bookmark', resourceVersion: '9' });
  });

  it('B49: throws gone for an ERROR with code 410, unavailable for others', () => {
    expect(() => parse(status(410, 'Expired'))).toThrow(expect.objectContaining({ code: 'gone' }));
    expect(() => parse(status(500, 'InternalError'))).toThrow(expect.objectContaining({ code: 'unavailable' }));
  });

  it('sets apart an object that its resource refuses, and refuses what is no event', () => {
    const odd = { metadata: { ...object.metadata, uid: 7 } };
    expect(parse({ type: 'DELETED', object: odd })).toMatchObject({ type: 'rejected', key: 'n/a', removed: true });
    for (const event of [{}, [], null, { type: 'ADDED' }, { type: 'OTHER', object }]) {
      expect(() => parse(event)).toThrow(expect.objectContaining({ code: 'protocol' }));
    }
    expect(() => parseWatchLine('{"type":"ADDED","obj', configMaps, attempt)).toThrow(
      expect.objectContaining({ code: 'protocol' }),
    );
  });
});
