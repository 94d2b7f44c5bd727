import type { ActionContext } from './action.ts';
import { Ec2Error } from './ec2-error.ts';
import { compileFilters } from './filters.ts';
import type { FilterTable } from './filters.ts';
import type { Tags } from './model.ts';
import { filtersOf, listOf, textOf } from './query.ts';
import type { WireValue } from './wire.ts';

/** The parameters of every Describe call's filters. */
export const FILTER_PARAMS = ['Filter.#.Name', 'Filter.#.Value.#'];
/** The parameters of a Describe call that is paged. */
export const PAGE_PARAMS = ['MaxResults', 'NextToken'];

/** Asks for records by id: the call as a whole fails if one is unknown. */
export interface ById<R> {
  /** The list parameter, such as `AllocationId`. */
  readonly param: string;
  readonly find: (id: string) => R | undefined;
  /** @returns the error for an id that is unknown */
  readonly missing: (id: string) => Ec2Error;
}

/** The records that a call names by id, or undefined when it names none. @throws Ec2Error what `missing` makes */
export function selectByIds<R>(context: ActionContext, byId: ById<R>): R[] | undefined {
  const ids = listOf(context.query, byId.param);
  if (ids.length === 0) return undefined;
  if (textOf(context.query, 'MaxResults') !== undefined) {
    throw new Ec2Error(
      'InvalidParameterCombination',
      `The parameter ${byId.param} cannot be used with the parameter MaxResults`,
    );
  }
  return [...new Set(ids)].map((id) => {
    const record = byId.find(id);
    if (record === undefined) throw byId.missing(id);
    return record;
  });
}

/** The records that match the call's filters. */
export function applyFilters<R extends { readonly tags: Tags }>(
  context: ActionContext,
  records: readonly R[],
  table: FilterTable<R>,
): R[] {
  const matches = compileFilters(filtersOf(context.query), table);
  return context.modes.ignoreFilters ? [...records] : records.filter((record) => matches(record, context.view));
}

/** One page of a result, and the token of the next if there is one. */
export interface Page<R> {
  readonly records: readonly R[];
  readonly nextToken: string | undefined;
}

interface Ordered {
  readonly order: number;
}

/**
 * Cuts one page out of the matching records. The order is the records' own and means nothing; a token names the last
 * record served, so records that come or go between pages shift nothing.
 * @throws Ec2Error InvalidParameterValue for a bad MaxResults, InvalidNextToken for a token of our not making
 */
export function pageOf<R extends Ordered>(
  context: ActionContext,
  records: readonly R[],
  limits: { min: number; max: number },
): Page<R> {
  const size = pageSizeOf(context, limits);
  const after = tokenOf(context);
  if (context.modes.emptyPage) return { records: [], nextToken: encodeToken(after) };
  const rest = records.filter((record) => record.order > after).toSorted((left, right) => left.order - right.order);
  const page = rest.slice(0, size);
  const last = page.at(-1);
  return {
    records: page,
    nextToken: page.length < rest.length && last !== undefined ? encodeToken(last.order) : undefined,
  };
}

function pageSizeOf(context: ActionContext, limits: { min: number; max: number }): number {
  const text = textOf(context.query, 'MaxResults');
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const size = Number(text);
  if (Number.isInteger(size) && size >= limits.min) return Math.min(size, limits.max);
  throw new Ec2Error(
    'InvalidParameterValue',
    `Value ( ${text} ) for parameter maxResults is invalid. Expecting a value of at least ${limits.min}.`,
  );
}

function tokenOf(context: ActionContext): number {
  const token = textOf(context.query, 'NextToken');
  if (token === undefined || token === '') return -1;
  const order = Number(/^after:(-?\d+)$/.exec(Buffer.from(token, 'base64url').toString())?.[1]);
  if (Number.isNaN(order)) throw new Ec2Error('InvalidNextToken', 'Unable to parse the pagination token');
  return order;
}

function encodeToken(order: number): string {
  return Buffer.from(`after:${order}`).toString('base64url');
}

/** The `nextToken` element of a paged answer. */
export function wireToken(page: Page<unknown>): Record<string, WireValue> {
  return { nextToken: page.nextToken };
}
