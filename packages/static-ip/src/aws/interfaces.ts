import type { Ec2Calls, Ec2Filter, Ec2Interface } from './ec2-calls.ts';
import { inBatches } from './filters.ts';

/** All interfaces that a filter with any number of values finds, page after page, batch beside batch. */
export async function listInterfaces(
  calls: Ec2Calls,
  filter: { readonly name: 'attachment.instance-id' | 'network-interface-id'; readonly values: readonly string[] },
  signal: AbortSignal,
): Promise<readonly Ec2Interface[]> {
  const batches = inBatches(filter.name, filter.values).map((filters) => allPages(calls, filters, signal));
  return (await Promise.all(batches)).flat();
}

async function allPages(
  calls: Ec2Calls,
  filters: readonly Ec2Filter[],
  signal: AbortSignal,
): Promise<readonly Ec2Interface[]> {
  const found: Ec2Interface[] = [];
  let nextToken: string | undefined;
  do {
    const page = await calls.describeNetworkInterfaces({ filters, nextToken }, signal);
    found.push(...page.items);
    // A page may be empty and still not the last one; the token alone says so.
    nextToken = page.nextToken === '' ? undefined : page.nextToken;
  } while (nextToken !== undefined);
  return found;
}
