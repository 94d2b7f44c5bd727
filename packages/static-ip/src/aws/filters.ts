import type { Selection } from '../address.ts';
import { assertNever } from '../assert-never.ts';
import type { Ec2Filter } from './ec2-calls.ts';

/** EC2 takes at most so many filter values in a call; more is FilterLimitExceeded or InvalidParameterValue. */
const MAX_FILTER_VALUES = 200;

/** A literal value in a filter, where `*` and `?` are wildcards and `\` escapes. */
export function literal(value: string): string {
  return value.replaceAll(/[*?\\]/g, String.raw`\$&`);
}

/** The filters of each DescribeAddresses call that a selection needs: more than one when it has too many values. */
export function selectionFilters(selection: Selection): readonly (readonly Ec2Filter[])[] {
  switch (selection.by) {
    case 'tags':
      return [Object.entries(selection.tags).map(([key, value]) => ({ name: `tag:${key}`, values: [literal(value)] }))];
    case 'ids':
      return inBatches('allocation-id', selection.ids);
    case 'tagValues':
      return inBatches(`tag:${selection.key}`, selection.values);
    default:
      return assertNever(selection);
  }
}

/** One filter for each batch of different values that fits in a call. */
export function inBatches(name: string, values: readonly string[]): readonly (readonly Ec2Filter[])[] {
  const unique = [...new Set(values)];
  const batches = Math.ceil(unique.length / MAX_FILTER_VALUES);
  return Array.from({ length: batches }, (_, batch) => [
    { name, values: unique.slice(batch * MAX_FILTER_VALUES, (batch + 1) * MAX_FILTER_VALUES).map(literal) },
  ]);
}
