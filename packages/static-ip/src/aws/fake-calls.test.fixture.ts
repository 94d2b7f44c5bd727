import type { Ec2Address, Ec2Calls, Ec2Filter, Ec2Interface, Ec2RouteTable, Ec2Zone } from './ec2-calls.ts';

export interface FakeAnswers {
  readonly addresses?: readonly Ec2Address[];
  /** Page by page. */
  readonly pages?: readonly (readonly Ec2Interface[])[];
  readonly zones?: readonly Ec2Zone[] | Error;
  /** Page by page. */
  readonly tables?: readonly (readonly Ec2RouteTable[])[];
}

function unused(action: string) {
  return () => Promise.reject(new Error(`${action} is not expected`));
}

/** Calls that answer what they are told, whatever the filters, and remember the filters. */
export function fakeCalls({ addresses = [], pages = [[]], zones = [], tables = [[]] }: FakeAnswers) {
  const asked: { readonly action: string; readonly filters: readonly Ec2Filter[] }[] = [];
  const calls: Ec2Calls = {
    describeAddresses: async (filters) => {
      asked.push({ action: 'DescribeAddresses', filters });
      return addresses;
    },
    describeNetworkInterfaces: async ({ filters, nextToken }) => {
      asked.push({ action: 'DescribeNetworkInterfaces', filters });
      const page = Number(nextToken ?? '0');
      return { items: pages[page] ?? [], nextToken: page + 1 < pages.length ? String(page + 1) : undefined };
    },
    describeRouteTables: async ({ filters, nextToken }) => {
      asked.push({ action: 'DescribeRouteTables', filters });
      const page = Number(nextToken ?? '0');
      return { items: tables[page] ?? [], nextToken: page + 1 < tables.length ? String(page + 1) : undefined };
    },
    describeAvailabilityZones: async () => {
      asked.push({ action: 'DescribeAvailabilityZones', filters: [] });
      if (zones instanceof Error) throw zones;
      return zones;
    },
    associateAddress: unused('AssociateAddress'),
    disassociateAddress: unused('DisassociateAddress'),
    allocateAddress: unused('AllocateAddress'),
    releaseAddress: unused('ReleaseAddress'),
    describeAccountAttribute: unused('DescribeAccountAttributes'),
    getServiceQuota: unused('GetServiceQuota'),
    getAwsDefaultServiceQuota: unused('GetAWSDefaultServiceQuota'),
    createTags: unused('CreateTags'),
  };
  return { calls, asked };
}
