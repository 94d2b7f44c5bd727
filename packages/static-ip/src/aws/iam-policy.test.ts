import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { AWS_ALLOCATION_ACTIONS, AWS_NODE_ACTIONS, isMutating } from './actions.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: readonly string[];
  readonly Resource: string;
  readonly Condition: Readonly<Record<string, Readonly<Record<string, string>>>>;
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
    expect(allowed).toEqual(AWS_NODE_ACTIONS.map((action) => `ec2:${action}`).toSorted());
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
