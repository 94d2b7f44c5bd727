/** A link of a Markdown page as it is written, and the line it is on. */
export interface MarkdownLink {
  readonly target: string;
  readonly line: number;
}

/** The links of a page, those in code left out. */
export function linksIn(markdown: string): readonly MarkdownLink[] {
  return proseLines(markdown).flatMap(({ text, line }) =>
    [...text.replaceAll(/`[^`]*`/g, 'code').matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({
      target,
      line,
    })),
  );
}

/** The anchors that GitHub gives the headings of a page: lower case, blanks to dashes, punctuation gone. */
export function anchorsIn(markdown: string): ReadonlySet<string> {
  const headings = proseLines(markdown).flatMap(({ text }) => /^#+ (.*)$/.exec(text)?.[1] ?? []);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Scripts that a page tells to run: `npm run demo`, `npm test`. */
export function npmScriptsIn(markdown: string): ReadonlySet<string> {
  const found = markdown.matchAll(/\bnpm (?:run ([a-z][a-z:-]*)|(test)\b)/g);
  return new Set([...found].map(([, script, test]) => script ?? test ?? ''));
}

function proseLines(markdown: string): readonly { readonly text: string; readonly line: number }[] {
  let isCode = false;
  return markdown.split('\n').flatMap((text, index) => {
    const isFence = text.trimStart().startsWith('```');
    if (isFence) isCode = !isCode;
    return isCode || isFence ? [] : [{ text, line: index + 1 }];
  });
}

/** A fenced block of shell commands. */
export interface ShellBlock {
  /** The nearest heading above it, without its hashes. */
  readonly section: string;
  readonly text: string;
  /** Line of the page on which the commands begin. */
  readonly line: number;
}

/** The `sh` blocks of a page, in their order. */
export function shellBlocksIn(markdown: string): readonly ShellBlock[] {
  const lines = markdown.split('\n');
  const headings = proseLines(markdown).filter(({ text }) => /^#+ /.test(text));
  return lines.flatMap((fence, index) => {
    if (fence.trim() !== '```sh') return [];
    const line = index + 2;
    const end = lines.findIndex((text, at) => at > index && text.trim() === '```');
    const section = headings.findLast((heading) => heading.line < line)?.text.replace(/^#+ /, '') ?? '';
    return [{ section, text: lines.slice(index + 1, end).join('\n'), line }];
  });
}
