type Environment = Readonly<Record<string, string | undefined>>;

const LEVELS: Readonly<Record<string, string>> = {
  off: 'error',
  error: 'error',
  warn: 'warn',
  info: 'info',
  debug: 'debug',
  trace: 'debug',
};

/**
 * The environment with `RUST_LOG` as the log level where `LOG_LEVEL` is not set: k8s-eip-operator and its agent are told by it.
 * Of its directives only a level without a target counts; anything else is another program's.
 */
export function withRustLog(environment: Environment): Environment {
  const { LOG_LEVEL: own = '', RUST_LOG: directives = '' } = environment;
  if (own !== '') return environment;
  const parts = directives.split(',').map((part) => part.trim().toLowerCase());
  const level = parts.flatMap((part) => (Object.hasOwn(LEVELS, part) ? (LEVELS[part] ?? []) : [])).at(-1);
  return level === undefined ? environment : { ...environment, LOG_LEVEL: level };
}
