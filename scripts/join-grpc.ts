import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** How the exporter loads gRPC when it needs it: past esbuild, which would leave it out. */
const HIDDEN = '__require("@grpc/grpc-js")';

/** Stands in for what reads .proto files: gRPC does so only for services of its own that nobody asks for here. */
const NO_LOADER = `
export const loadSync = () => { throw new Error('@grpc/proto-loader is left out of this bundle'); };
`;

/**
 * Takes gRPC into the bundle for OpenTelemetry's exporter, and leaves out the parser of .proto files, 300 KiB: what is sent
 * is encoded by the exporter.
 */
export const joinGrpc: Plugin = {
  name: 'join-grpc',
  setup: (build) => {
    build.onLoad({ filter: /otlp-grpc-exporter-base\/dist\/[\w-]+\.mjs$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: text.replaceAll(HIDDEN, 'require("@grpc/grpc-js")'), loader: 'js' };
    });
    build.onResolve({ filter: /^@grpc\/proto-loader$/ }, () => ({ path: 'proto-loader', namespace: 'no-loader' }));
    build.onLoad({ filter: /.*/, namespace: 'no-loader' }, () => ({ contents: NO_LOADER, loader: 'js' }));
  },
};
