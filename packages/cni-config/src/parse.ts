import { chosenObjects, ipamNodes } from './chosen-nodes.ts';
import type { Finding } from './finding.ts';
import { decodeAsGo } from './go-decode.ts';
import { readIpam } from './ipam.ts';
import { parseJson } from './json-document.ts';
import type { JsonDocument } from './json-document.ts';
import type { CniConfig, ParseResult } from './network-config.ts';
import { CILIUM_PLUGIN, findingsOn } from './remarks.ts';
import type { ParsedConfig } from './remarks.ts';
import { isUsableByRuntime } from './runtime-rules.ts';
import { shapeOf } from './schema.ts';
import { asArray, asRecord, asString } from './untrusted.ts';

/**
 * Reads one network configuration the way Cilium's agent does: the first entry of `plugins` whose type is exactly
 * `cilium-cni`; otherwise the top level of the file, whatever its type. Where Cilium loses tags without a word, because
 * some other value has the wrong type, they are kept and a warning names the value. Any text is accepted, nothing is
 * thrown. `file` appears in the findings; its ending decides what a container runtime would expect inside.
 *
 * Source of the rules: ReadNetConf in https://github.com/cilium/cilium/blob/main/plugins/cilium-cni/types/types.go
 */
export function parseNetworkConfig(text: string, { file }: { readonly file: string }): ParseResult {
  const json = parseJson(text, file);
  if (!json.ok) return json;
  const { root } = json.document;
  if (root.type !== 'Object') {
    const { line, column } = root.loc.start;
    const message = `a network configuration is an object, this is a JSON ${root.type.toLowerCase()}: wrap it in { }`;
    return {
      ok: false,
      findings: [{ severity: 'error', code: 'not-an-object', message, file, line, column, pointer: '' }],
    };
  }
  return readDocument(json.document, json.findings, file);
}

function readDocument(document: JsonDocument, remarks: readonly Finding[], file: string): ParseResult {
  const list = decodeAsGo(document.root, shapeOf('list'), document.text);
  const single = decodeAsGo(document.root, shapeOf('single'), document.text);
  const parsed: ParsedConfig = { file, document, list, single, index: ciliumIndex(list.value) };
  const config = toConfig(parsed, remarks.length === 0);
  const hasTags = config.ipam?.staticIpTags !== undefined;
  const findings = [...remarks, ...findingsOn(parsed, hasTags)].toSorted(byPlace);
  return { ok: true, config: { ...config, tagsKnown: hasTags || !findings.some(hidesTags) }, findings };
}

function ciliumIndex(list: unknown): number | undefined {
  const index = asArray(asRecord(list)['plugins']).findIndex((entry) => asRecord(entry)['type'] === CILIUM_PLUGIN);
  return index === -1 ? undefined : index;
}

function toConfig(
  { file, list, single, index, document }: ParsedConfig,
  isClean: boolean,
): Omit<CniConfig, 'tagsKnown'> {
  const top = asRecord(single.value);
  const entry = index === undefined ? top : asRecord(asArray(asRecord(list.value)['plugins'])[index]);
  return {
    file,
    format: index === undefined ? 'single' : 'list',
    name: asString(top['name']),
    cniVersion: asString(top['cniVersion']),
    plugin: { type: asString(entry['type']), ...(index === undefined ? {} : { index }) },
    ipam: readIpam(entry['ipam'], ipamNodes(chosenObjects(document.root, index))),
    usableByRuntime: isClean && isUsableByRuntime(file, asRecord(list.value), top),
  };
}

function hidesTags({ severity, code }: Finding): boolean {
  return severity === 'error' || code === 'misspelt-tags-key' || code === 'misplaced-tags';
}

function byPlace(a: Finding, b: Finding): number {
  return a.line - b.line || a.column - b.column;
}
