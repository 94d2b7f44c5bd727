import { StaticIpError, assertSelective, isSelected, targetRefKey } from '@static-ip/provider';
import { openLab } from './lab-file.js';

/** @import { Address, Attachment, AttachRequest, AttachStep, CreateProvider, Resolution, TargetRef } from '@static-ip/provider' */
/** @import { Lab } from './lab-file.js' */

/**
 * What `--provider` loads. It checks its settings and calls nobody yet.
 *
 * @type {CreateProvider}
 */
export const createProvider = ({ clock, env, fence, onCall }) => {
  const path = env['LAB_FILE'];
  if (!path) throw new StaticIpError('invalid', 'LAB_FILE is not set: it names the JSON file of the lab');
  const lab = openLab(path);

  /**
   * Every call of the lab goes through here: it honours the signal and is reported for metrics.
   *
   * @template Result
   * @param {string} action
   * @param {AbortSignal} signal
   * @param {() => Promise<Result>} run
   */
  const call = async (action, signal, run) => {
    signal.throwIfAborted();
    const startMs = clock.monotonic();
    const report = (/** @type {string} */ code) => onCall({ action, code, durationMs: clock.monotonic() - startMs });
    try {
      const result = await run();
      report('ok');
      return result;
    } catch (error) {
      report(error instanceof StaticIpError ? error.code : 'aborted');
      throw error;
    }
  };

  // The right to change the lab is asked for after every wait, directly before the file is written.
  const enter = (/** @type {AbortSignal} */ signal) => () => {
    signal.throwIfAborted();
    fence.enter().throwIfAborted();
  };

  return {
    name: 'lab',
    capabilities: {
      podTargets: false,
      atomicSwap: true,
      createsFromPool: false,
      allocation: false,
      quota: false,
      routes: false,
    },

    listAddresses: async (selection, { signal }) => {
      assertSelective(selection);
      const now = await call('ReadTable', signal, lab.read);
      const addresses = Object.keys(now.addresses)
        .toSorted()
        .map((id) => addressOf(now, id))
        .filter((address) => isSelected(selection, address));
      return { addresses, pools: [] };
    },

    resolveTargets: async (refs, { signal }) => {
      const now = await call('ReadTable', signal, lab.read);
      return refs.map((ref) => resolutionOf(now, ref));
    },

    attach: (request, { signal }) =>
      call('WriteTable', signal, () => lab.change(enter(signal), (now) => attach(now, request))),

    detach: (attachment, { signal }) =>
      call('WriteTable', signal, () => lab.change(enter(signal), (now) => detach(now, attachment))),
  };
};

/**
 * Decides by what is in the table now, not by what the caller read: nothing is stolen, nothing displaced but `expected`.
 *
 * @param {Lab} lab
 * @param {AttachRequest} request
 * @returns {AttachStep}
 */
function attach(lab, { candidate, target, expected }) {
  if (candidate.kind === 'pool') throw new StaticIpError('unsupported', 'the lab has no pools');
  const { id } = candidate.address;
  const machine = target.interfaceId;
  const { ip } = usableAddress(lab, id, machine);
  const entry = lab.nat[id] ?? { id: `nat-${lab.serial + 1}`, machine };
  if (entry.machine !== machine) throw refusal('conflict', 'the address is in use', id);

  const [holderId, holder] = holderOf(lab, machine);
  if (holderId !== undefined && holderId !== id) {
    if (holder.id !== expected?.id) throw refusal('inUse', 'the machine has another address', machine);
    delete lab.nat[holderId];
  }
  if (lab.nat[id] === undefined) lab.serial += 1;
  lab.nat[id] = entry;
  return { state: 'done', ip, attachment: attachmentOf(lab, id, entry) };
}

/**
 * @param {Lab} lab
 * @param {string} id
 * @param {string} machine
 */
function usableAddress(lab, id, machine) {
  const site = lab.machines[machine]?.site;
  if (site === undefined) throw refusal('notFound', 'the machine is gone', machine);
  const address = lab.addresses[id];
  if (address === undefined) throw refusal('conflict', 'the address is gone', id);
  if (address.site !== site) throw refusal('conflict', 'the address is of another site', id);
  return address;
}

/**
 * By the id of the NAT entry, which is never used again: a newer entry of the same address is not touched.
 *
 * @param {Lab} lab
 * @param {Attachment} attachment
 * @returns {{ state: 'done' }}
 */
function detach(lab, attachment) {
  if (lab.nat[attachment.addressId]?.id === attachment.id) delete lab.nat[attachment.addressId];
  return { state: 'done' };
}

/**
 * @param {Lab} lab
 * @param {TargetRef} ref
 * @returns {Resolution}
 */
function resolutionOf(lab, ref) {
  if (ref.kind !== 'instance') return { ref, error: refusal('unsupported', 'only machines', targetRefKey(ref)) };
  const machine = lab.machines[ref.instanceId];
  if (machine === undefined) return { ref, error: refusal('notFound', 'no such machine', ref.instanceId) };
  const [holderId, holder] = holderOf(lab, ref.instanceId);
  const { privateIp, site } = machine;
  const holding = holderId === undefined ? undefined : attachmentOf(lab, holderId, holder);
  const { instanceId } = ref;
  return {
    ref,
    target: { ref, id: instanceId, interfaceId: instanceId, privateIp, instanceId, location: site, holding },
  };
}

/**
 * @param {Lab} lab
 * @param {string} id
 * @returns {Address}
 */
function addressOf(lab, id) {
  const { ip, site, tags } = lab.addresses[id] ?? { ip: '', site: '', tags: {} };
  const entry = lab.nat[id];
  return { id, ip, tags, location: site, attachment: entry && attachmentOf(lab, id, entry) };
}

/**
 * @param {Lab} lab
 * @param {string} addressId
 * @param {{ id: string, machine: string }} entry
 * @returns {Attachment}
 */
function attachmentOf(lab, addressId, { id, machine }) {
  const ip = lab.addresses[addressId]?.ip ?? '';
  return { id, addressId, ip, interfaceId: machine, privateIp: lab.machines[machine]?.privateIp, instanceId: machine };
}

/**
 * The address id and NAT entry of a machine.
 *
 * @param {Lab} lab
 * @param {string} machine
 * @returns {[string, Lab['nat'][string]] | [undefined, undefined]}
 */
function holderOf(lab, machine) {
  return Object.entries(lab.nat).find(([, entry]) => entry.machine === machine) ?? [undefined, undefined];
}

/**
 * Ids go into the fields, so that messages stay comparable.
 *
 * @param {'conflict' | 'inUse' | 'notFound' | 'unsupported'} code
 * @param {string} message
 * @param {string} id
 */
function refusal(code, message, id) {
  return new StaticIpError(code, message, { fields: { id } });
}
