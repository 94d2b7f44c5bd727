import type { Bucket, BucketSettings } from './buckets.ts';
import type { DueEffect } from './due.ts';
import type { World, Zone } from './model.ts';
import { emptyMap } from './persistent-map.ts';
import type { VisibilitySettings } from './visibility.ts';

/** What the credentials of one access key id are good for. */
export interface Credential {
  /** `expired` answers RequestExpired, `invalid` AuthFailure, `denied` UnauthorizedOperation to every call. */
  readonly status: 'valid' | 'expired' | 'invalid' | 'denied';
  /** Actions this key may not call. */
  readonly deniedActions: readonly string[];
}

/** Behaviour that a test chooses. Where EC2 documents none, each choice exists. */
export interface Ec2Settings {
  readonly buckets: BucketSettings;
  readonly visibility: VisibilitySettings;
  /** Elastic IPs the account may hold, those of brought pools not counted. */
  readonly addressQuota: number;
  /** Whether the quota is an applied value; without one GetServiceQuota knows nothing and only the default can be read. */
  readonly quotaIsApplied: boolean;
  /** With AllowReassociation=false, is also the address now on the target protected? AWS does not say; documented is displacement. */
  readonly reassociationProtectsTarget: boolean;
  /** What repeating an existing association answers; documented as idempotent. */
  readonly repeatedAssociation: 'same-id' | 'new-id' | 'already-associated';
  /** What disassociating a vanished association answers; documented as idempotent, observed as not-found. */
  readonly goneAssociation: 'not-found' | 'ok';
  /** The code for an instance that is still pending; both are seen. */
  readonly pendingCode: 'IncorrectInstanceState' | 'InvalidInstanceID';
  /** Milliseconds until a single-interface instance gets an automatic public address again; undefined: never. */
  readonly autoPublicIpReturnMs: number | undefined;
  /** Milliseconds that terminating, stopping and starting take. */
  readonly instanceTransitionMs: number;
  readonly credentials: Readonly<Record<string, Credential>>;
  /** Tag keys of which an allocation must carry one, and an address must carry one to be released. */
  readonly ownerTagKeys: readonly string[];
  /** Tag keys that name one claim: a second allocation for a visible address with the same value is a mistake. */
  readonly claimTagKeys: readonly string[];
}

/** A version of the world and the time at which it came to be. */
export interface Snapshot {
  readonly at: number;
  readonly world: World;
}

/** The whole state of one emulated account and region. `step` makes the next one. */
export interface Ec2State {
  readonly region: string;
  readonly accountId: string;
  readonly seed: number;
  /** Draws made from the id sequence. */
  readonly serial: number;
  readonly world: World;
  /** Associations that AssociateAddress made, repeats without effect not counted: AWS may bill each. */
  readonly remaps: number;
  /** Earlier versions that a stale read may still see, oldest first. */
  readonly history: readonly Snapshot[];
  /** Effects that happen later by themselves. */
  readonly due: readonly DueEffect[];
  readonly buckets: Readonly<Record<string, Bucket>>;
  readonly settings: Ec2Settings;
}

/** The account that owns everything here. */
export const ACCOUNT_ID = '123456789012';

/** The settings of an account whose address quota was raised, exact otherwise, without visibility delays. */
export const DEFAULT_SETTINGS: Ec2Settings = {
  buckets: { enabled: true, speed: 1, phaseMs: 0, limits: {} },
  visibility: { staleMs: 0, hideNewMs: 0 },
  addressQuota: 1000,
  quotaIsApplied: true,
  reassociationProtectsTarget: false,
  repeatedAssociation: 'same-id',
  goneAssociation: 'not-found',
  pendingCode: 'IncorrectInstanceState',
  autoPublicIpReturnMs: 120_000,
  instanceTransitionMs: 1000,
  credentials: {},
  ownerTagKeys: ['eip.materialize.cloud/cluster_uid', 'eip.materialize.cloud/eip_uid'],
  claimTagKeys: ['eip.materialize.cloud/eip_uid'],
};

/** An account with the three ordinary zones of a region and nothing else. */
export function emptyState(region: string, seed: number, settings: Ec2Settings): Ec2State {
  const zones = ['a', 'b', 'c'].map((letter, index) => ordinaryZone(region, letter, index + 1));
  const world: World = {
    zones,
    vpcs: emptyMap(),
    subnets: emptyMap(),
    routeTables: emptyMap(),
    instances: emptyMap(),
    interfaces: emptyMap(),
    addresses: emptyMap(),
    holders: emptyMap(),
    associations: emptyMap(),
    publicIps: emptyMap(),
  };
  return {
    region,
    accountId: ACCOUNT_ID,
    seed,
    serial: 0,
    world,
    remaps: 0,
    history: [],
    due: [],
    buckets: {},
    settings,
  };
}

function ordinaryZone(region: string, letter: string, index: number): Zone {
  const zoneId = `${region.replaceAll(/-([a-z])[a-z]*|-/g, '$1')}-az${index}`;
  return { name: `${region}${letter}`, zoneId, type: 'availability-zone', groupName: region, borderGroup: region };
}
