import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import bundled from './schema/network-config-list.schema.json' with { type: 'json' };

const PUBLISHED = path.join(import.meta.dirname, '../../../schemas/cni/network-config-list.schema.json');
const BUNDLED = path.join(import.meta.dirname, 'schema/network-config-list.schema.json');

describe('the network configuration schema', () => {
  it('is the published one, byte for byte: after a change in schemas/cni, copy the file to src/schema', () => {
    expect(readFileSync(BUNDLED, 'utf8')).toBe(readFileSync(PUBLISHED, 'utf8'));
  });

  it('is valid JSON Schema 2020-12 in strict mode', () => {
    const ajv = new Ajv2020({ strict: true });
    expect(ajv.validateSchema(bundled)).toBe(true);
    expect(() => ajv.compile(bundled)).not.toThrow();
  });
});
