import { readFile, rename, writeFile } from 'node:fs/promises';
import { StaticIpError } from '@static-ip/provider';

/**
 * The lab: machines on sites, addresses routed to sites, and the router's 1:1 NAT table by address id.
 *
 * @typedef {object} Lab
 * @property {number} serial counts NAT entries, so that no id is ever used twice
 * @property {Record<string, { privateIp: string, site: string }>} machines
 * @property {Record<string, { ip: string, site: string, tags: Record<string, string> }>} addresses
 * @property {Record<string, { id: string, machine: string }>} nat
 */

/**
 * The file as a cloud: reads see all of it, changes come one after another and replace it as a whole.
 *
 * @param {string} path
 */
export function openLab(path) {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();

  /** @returns {Promise<Lab>} */
  const read = async () => {
    try {
      return JSON.parse(await readFile(path, 'utf8'));
    } catch (cause) {
      // An error is never an empty answer.
      throw new StaticIpError('unavailable', 'the lab file cannot be read', { cause, fields: { path } });
    }
  };

  return {
    read,
    /**
     * Waits for its turn, then asks `enter` for the right to write, changes what is there now, and writes it.
     *
     * @template Result
     * @param {() => void} enter throws when there is no right to
     * @param {(lab: Lab) => Result} change
     * @returns {Promise<Result>}
     */
    change: (enter, change) => {
      const turn = last.then(async () => {
        const lab = await read();
        enter();
        const result = change(lab);
        await writeFile(`${path}.new`, JSON.stringify(lab, undefined, 2));
        await rename(`${path}.new`, path);
        return result;
      });
      last = turn.catch(() => {});
      return turn;
    },
  };
}
