import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { OWNER_TAG } from '../owner-tags.ts';
import {
  AWS_ALLOCATION_ACTIONS,
  AWS_NODE_ACTIONS,
  AWS_OPTIONAL_ACTIONS,
  AWS_QUOTA_ACTIONS,
  AWS_TAG_ACTIONS,
  isMutating,
} from './actions.ts';

interface Statement {
  readonly Sid: string;
  readonly Effect: string;
  readonly Action: readonly string[];
  readonly Resource: string;
  readonly Condition: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

const DOCS = new URL('../../../../docs/reference/', import.meta.url);
const POLICY = readFileSync(new URL('iam/node-mode.json', DOCS), 'utf8');
const PAGE = readFileSync(new URL('iam.md', DOCS), 'utf8');
const { Statement: statements }: { readonly Statement: readonly Statement[] } = JSON.parse(POLICY);

function actionsOn(resource: string): readonly string[] {
  return statements.filter(({ Resource }) => Resource.includes(resource)).flatMap(({ Action }) => Action);
}

const mutating = AWS_NODE_ACTIONS.filter(isMutating).map((action) => `ec2:${action}`);

describe('the IAM policy of node mode', () => {
  it('allows exactly the calls that the provider makes in that mode', () => {
    const allowed = [...new Set(statements.flatMap(({ Action }) => Action))].toSorted();
    const calls = [...AWS_NODE_ACTIONS, ...AWS_OPTIONAL_ACTIONS];
    expect(allowed).toEqual(calls.map((action) => `ec2:${action}`).toSorted());
    expect(statements.map(({ Effect }) => Effect)).toEqual(['Allow', 'Allow', 'Allow']);
  });

  it('has no right to make or give back an address', () => {
    for (const action of AWS_ALLOCATION_ACTIONS) expect(POLICY).not.toContain(action);
    expect(POLICY).not.toContain('ec2:*');
  });

  it('allows changes on addresses and interfaces apart: each statement has the condition of its own resource', () => {
    expect(actionsOn(':elastic-ip/')).toEqual(mutating);
    expect(actionsOn(':network-interface/')).toEqual(mutating);
    const conditions = statements.map(({ Condition }) => Object.keys(Object.values(Condition)[0] ?? {})[0]);
    expect(conditions).toEqual(['ec2:Region', 'aws:ResourceTag/POOL_TAG_KEY', 'ec2:Vpc']);
  });

  it('is explained: every action and every placeholder is on its page', () => {
    const placeholders = new Set(POLICY.match(/[A-Z]+(?:_[A-Z]+)+|REGION/g));
    expect(placeholders.size).toBe(5);
    for (const word of placeholders) expect(PAGE).toContain(`\`${word}\``);
    for (const action of AWS_NODE_ACTIONS) expect(PAGE).toContain(`\`ec2:${action}\``);
  });
});

const EIP_POLICY = readFileSync(new URL('iam/eip-mode.json', DOCS), 'utf8');
const { Statement: eipStatements }: { readonly Statement: readonly Statement[] } = JSON.parse(EIP_POLICY);

function allowing(action: string): readonly Statement[] {
  return eipStatements.filter(({ Action }) => Action.includes(`ec2:${action}`));
}

describe('the IAM policy of Eip mode', () => {
  it('allows every call that the provider makes, and beside them only reads', () => {
    const allowed = new Set(eipStatements.flatMap(({ Action }) => Action));
    const needed = [...AWS_NODE_ACTIONS, ...AWS_ALLOCATION_ACTIONS, ...AWS_TAG_ACTIONS, ...AWS_OPTIONAL_ACTIONS];
    for (const action of needed) expect(allowed.delete(`ec2:${action}`)).toBe(true);
    for (const action of AWS_QUOTA_ACTIONS) {
      const service = action.startsWith('Get') ? 'servicequotas' : 'ec2';
      expect(allowed.delete(`${service}:${action}`)).toBe(true);
    }
    expect([...allowed]).toEqual([]);
  });

  it('contains all of node mode, whose read has the same name for the same calls', () => {
    expect(statements).toHaveLength(3);
    for (const statement of statements) expect(eipStatements).toContainEqual(statement);
  });

  it('releases only what has the mark of the cluster, or none but its name, in either of its spellings', () => {
    expect(allowing('ReleaseAddress').map(({ Condition }) => Condition)).toEqual([
      { StringEquals: { [`aws:ResourceTag/${OWNER_TAG.clusterUid}`]: 'CLUSTER_UID' } },
      {
        StringEquals: { [`aws:ResourceTag/${OWNER_TAG.clusterName}`]: 'CLUSTER_NAME' },
        Null: { [`aws:ResourceTag/${OWNER_TAG.clusterUid}`]: 'true' },
      },
      {
        StringEquals: { 'aws:ResourceTag/eip.aws.materialize.com/cluster_name': 'CLUSTER_NAME' },
        Null: { [`aws:ResourceTag/${OWNER_TAG.clusterUid}`]: 'true' },
      },
    ]);
  });

  it('sets marks while it allocates, and later only the one to keep an address, on addresses it may release', () => {
    const keep = { [`aws:RequestTag/${OWNER_TAG.reclaimPolicy}`]: 'Retain' };
    const nothingElse = { 'ForAllValues:StringEquals': { 'aws:TagKeys': [OWNER_TAG.reclaimPolicy] } };
    expect(allowing('CreateTags').map(({ Condition }) => Condition)).toEqual([
      { StringEquals: { 'ec2:CreateAction': 'AllocateAddress' } },
      {
        StringEquals: { [`aws:ResourceTag/${OWNER_TAG.clusterUid}`]: 'CLUSTER_UID', ...keep },
        ...nothingElse,
      },
      {
        StringEquals: { [`aws:ResourceTag/${OWNER_TAG.clusterName}`]: 'CLUSTER_NAME', ...keep },
        Null: { [`aws:ResourceTag/${OWNER_TAG.clusterUid}`]: 'true' },
        ...nothingElse,
      },
    ]);
  });

  it('allocates no address without the mark', () => {
    const onAddresses = allowing('AllocateAddress').filter(({ Resource }) => Resource.includes(':elastic-ip/'));
    expect(onAddresses.map(({ Condition }) => Condition)).toEqual([
      { StringEquals: { [`aws:RequestTag/${OWNER_TAG.clusterUid}`]: 'CLUSTER_UID' } },
    ]);
  });

  it('is explained: every action and every placeholder is on its page', () => {
    for (const [word] of EIP_POLICY.matchAll(/\b(?:ec2|servicequotas):(?:[A-Z][a-z]+){2,}\b/g)) {
      if (!['ec2:CreateAction'].includes(word)) expect(PAGE).toContain(`\`${word}\``);
    }
    for (const [word] of EIP_POLICY.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)) expect(PAGE).toContain(`\`${word}\``);
  });
});
