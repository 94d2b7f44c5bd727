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
