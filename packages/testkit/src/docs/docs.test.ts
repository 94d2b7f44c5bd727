import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { inRepository } from '../chart/repository.ts';
import { anchorsIn, linksIn, npmScriptsIn, shellBlocksIn } from './markdown.ts';

const ROOT = inRepository();
const PAGES = globSync(['*.md', 'docs/**/*.md', 'charts/**/*.md', 'examples/**/*.md'], {
  cwd: ROOT,
  exclude: (name) => name.includes('node_modules'),
}).toSorted();

const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(path.join(ROOT, 'package.json'), 'utf8'),
);

/** Why a link leads nowhere; undefined when it does lead somewhere, or outside of the repository. */
function problemOf(page: string, target: string): string | undefined {
  if (/^[a-z]+:/.test(target)) return undefined;
  const [file = '', anchor] = target.split('#');
  const absolute = file === '' ? path.join(ROOT, page) : path.resolve(ROOT, path.dirname(page), file);
  if (!existsSync(absolute)) return 'no such file';
  if (anchor === undefined) return undefined;
  return anchorsIn(readFileSync(absolute, 'utf8')).has(anchor) ? undefined : 'no such heading';
}

describe('the documentation', () => {
  it('is found', () => {
    expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'docs/operations.md']));
  });

  it.each(PAGES)('%s links only to what exists', (page) => {
    const links = linksIn(readFileSync(path.join(ROOT, page), 'utf8'));
    const broken = links.flatMap(({ target, line }) => {
      const problem = problemOf(page, target);
      return problem === undefined ? [] : [`${page}:${line}: ${target}: ${problem}`];
    });
    expect(broken).toEqual([]);
  });

  it.each(PAGES)('%s tells to run only scripts that exist', (page) => {
    const told = npmScriptsIn(readFileSync(path.join(ROOT, page), 'utf8'));
    expect([...told].filter((script) => !(script in scripts))).toEqual([]);
  });

  it('has an entry in the changelog for the version that will be published', () => {
    const { version }: { readonly version: string } = JSON.parse(readFileSync(path.join(ROOT, 'lerna.json'), 'utf8'));
    expect(readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8')).toContain(`\n## [${version}]`);
  });

  it('numbers the decision records without a gap, each with its number in the title', () => {
    const records = globSync('docs/adr/*.md', { cwd: ROOT }).toSorted();
    records.forEach((record, index) => {
      expect(path.basename(record)).toMatch(new RegExp(`^${String(index + 1).padStart(4, '0')}-`));
      expect(readFileSync(path.join(ROOT, record), 'utf8')).toMatch(new RegExp(`^# ${index + 1}\\. `));
    });
    expect(records.length).toBeGreaterThan(0);
  });
});

describe('reading Markdown', () => {
  const page = [
    '# A page, of `sorts`',
    'See [b](b.md#c) and `[no](link)`.',
    '```sh',
    '# no heading',
    'npm run demo',
    '```',
  ].join('\n');

  it('finds links and headings outside of code', () => {
    expect(linksIn(page)).toEqual([{ target: 'b.md#c', line: 2 }]);
    expect([...anchorsIn(page)]).toEqual(['a-page-of-sorts']);
  });

  it('finds npm scripts in code, too', () => {
    expect([...npmScriptsIn(`${page}\nnpm ci && npm test`)]).toEqual(['demo', 'test']);
  });

  it('finds blocks of shell commands, each with its heading', () => {
    const more = `${page}\n## Next\n\`\`\`json\n{}\n\`\`\`\n\`\`\`sh\nls\n\`\`\`\n`;
    expect(shellBlocksIn(more)).toEqual([
      { section: 'A page, of `sorts`', text: '# no heading\nnpm run demo', line: 4 },
      { section: 'Next', text: 'ls', line: 12 },
    ]);
  });
});
