import type { Plugin } from 'esbuild';

/** Stands in for undici: what the Kubernetes client could do with it is never asked of it. */
const STAND_IN = `
const unused = () => { throw new Error('undici is left out of this bundle: requests go through node:https'); };
export { unused as Agent, unused as ProxyAgent, unused as fetch };
`;

/**
 * Leaves undici out of the bundle: 950 KiB, and memory on every node. The Kubernetes client imports it for requests of its
 * own by `fetch`; ours go through node:https, with the options that the client makes for those.
 */
export const cutUndici: Plugin = {
  name: 'cut-undici',
  setup: (build) => {
    build.onResolve({ filter: /^undici$/ }, ({ importer }) =>
      importer.includes('@kubernetes/client-node/dist/') ? { path: 'undici', namespace: 'stand-in' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'stand-in' }, () => ({ contents: STAND_IN, loader: 'js' }));
  },
};
