import type { Action } from './action.ts';
import { applyFilters, FILTER_PARAMS } from './describe.ts';
import { Ec2Error } from './ec2-error.ts';
import type { FilterTable } from './filters.ts';
import type { Zone } from './model.ts';
import { listOf } from './query.ts';
import type { WireObject } from './wire.ts';
import { wireList } from './wire.ts';

type FilterableZone = Zone & { readonly tags: Readonly<Record<string, string>> };

const FILTERS: FilterTable<FilterableZone> = {
  'group-name': (zone) => zone.groupName,
  'network-border-group': (zone) => zone.borderGroup,
  state: () => 'available',
  'zone-id': (zone) => zone.zoneId,
  'zone-name': (zone) => zone.name,
  'zone-type': (zone) => zone.type,
};

/**
 * DescribeAvailabilityZones, local and wavelength zones included: the only place that maps a zone to its border group.
 * Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeAvailabilityZones.html
 */
export const describeAvailabilityZones: Action = {
  params: ['ZoneName.#', 'ZoneId.#', 'AllAvailabilityZones', ...FILTER_PARAMS],
  run: (context) => {
    const names = listOf(context.query, 'ZoneName');
    const zoneIds = listOf(context.query, 'ZoneId');
    const known = new Set(context.view.zones.flatMap((zone) => [zone.name, zone.zoneId]));
    const unknown = [...names, ...zoneIds].find((name) => !known.has(name));
    if (unknown !== undefined) throw new Ec2Error('InvalidParameterValue', `Invalid availability zone: [${unknown}]`);
    const asked = context.view.zones
      .filter((zone) => names.length === 0 || names.includes(zone.name))
      .filter((zone) => zoneIds.length === 0 || zoneIds.includes(zone.zoneId))
      .map((zone) => ({ ...zone, tags: {} }));
    const zones = applyFilters(context, asked, FILTERS);
    return { reply: { availabilityZoneInfo: wireList(zones.map((zone) => wireZone(zone, context.state.region))) } };
  },
};

function wireZone(zone: Zone, regionName: string): WireObject {
  return {
    zoneName: zone.name,
    zoneState: 'available',
    regionName,
    messageSet: wireList([]),
    optInStatus: zone.type === 'availability-zone' ? 'opt-in-not-required' : 'opted-in',
    zoneId: zone.zoneId,
    groupName: zone.groupName,
    networkBorderGroup: zone.borderGroup,
    zoneType: zone.type,
  };
}
