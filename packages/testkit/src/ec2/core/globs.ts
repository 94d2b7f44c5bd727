/** Tells whether a value is matched. */
export type Matcher = (value: string) => boolean;

/**
 * Compiles the values of one filter: any of them may match. `*` stands for any run of characters, `?` for exactly one;
 * a backslash before `*`, `?` or `\` makes it literal. Case counts.
 * Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Filtering.html
 */
export function compileGlobs(patterns: readonly string[]): Matcher {
  const literals = new Set<string>();
  const expressions: RegExp[] = [];
  for (const pattern of patterns) {
    const tokens = tokenize(pattern);
    if (tokens.every((token) => token.literal)) literals.add(tokens.map((token) => token.text).join(''));
    else expressions.push(toExpression(tokens));
  }
  return (value) => literals.has(value) || expressions.some((expression) => expression.test(value));
}

interface Token {
  readonly literal: boolean;
  readonly text: string;
}

function tokenize(pattern: string): Token[] {
  return [...pattern.matchAll(/\\([*?\\])|([*?])|[^*?]/gsu)].map(([whole, escaped, wildcard]) =>
    wildcard === undefined ? { literal: true, text: escaped ?? whole } : { literal: false, text: wildcard },
  );
}

function toExpression(tokens: readonly Token[]): RegExp {
  const source = tokens
    .map(({ literal, text }) =>
      literal ? text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`) : text === '*' ? '.*' : '.',
    )
    .join('');
  return new RegExp(`^${source}$`, 'su');
}
