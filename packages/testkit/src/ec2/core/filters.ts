import { Ec2Error } from './ec2-error.ts';
import { compileGlobs } from './globs.ts';
import type { Tags, World } from './model.ts';
import type { RawFilter } from './query.ts';

const MAX_FILTER_VALUES = 200;

/** What a filter compares: one text, several of which any may match, or undefined for "has none". */
type FilterField<R> = (record: R, world: World) => string | readonly string[] | undefined;

/** The filters an action knows by name; `tag:<key>` and `tag-key` are known to all. */
export type FilterTable<R> = Readonly<Record<string, FilterField<R>>>;

interface Tagged {
  readonly tags: Tags;
}

/**
 * Compiles a call's filters into one predicate: all filters must match, in each any value.
 * @throws Ec2Error FilterLimitExceeded over 200 values, InvalidParameterValue for an unknown filter or one without values
 */
export function compileFilters<R extends Tagged>(
  filters: readonly RawFilter[],
  table: FilterTable<R>,
): (record: R, world: World) => boolean {
  const values = filters.reduce((sum, filter) => sum + filter.values.length, 0);
  if (values > MAX_FILTER_VALUES) {
    throw new Ec2Error(
      'FilterLimitExceeded',
      `The maximum number of filter values specified on a single call is ${MAX_FILTER_VALUES}`,
    );
  }
  const tests = filters.map((filter) => compileFilter(filter, table));
  return (record, world) => tests.every((test) => test(record, world));
}

function compileFilter<R extends Tagged>(
  filter: RawFilter,
  table: FilterTable<R>,
): (record: R, world: World) => boolean {
  const field = fieldOf(filter.name, table);
  if (field === undefined) throw new Ec2Error('InvalidParameterValue', `The filter '${filter.name}' is invalid`);
  if (filter.values.length === 0)
    throw new Ec2Error('InvalidParameterValue', `The filter '${filter.name}' has no values`);
  const matches = compileGlobs(filter.values);
  return (record, world) => {
    const found = field(record, world);
    if (found === undefined) return false;
    return typeof found === 'string' ? matches(found) : found.some(matches);
  };
}

function fieldOf<R extends Tagged>(name: string, table: FilterTable<R>): FilterField<R> | undefined {
  if (name === 'tag-key') return (record) => Object.keys(record.tags);
  if (!name.startsWith('tag:')) return Object.hasOwn(table, name) ? table[name] : undefined;
  const key = name.slice('tag:'.length);
  return (record) => (Object.hasOwn(record.tags, key) ? record.tags[key] : undefined);
}
