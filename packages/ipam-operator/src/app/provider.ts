import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolve as resolveModule } from 'import-meta-resolve';
import { isStaticIpError } from '@static-ip/provider';
import type { CreateProvider, ProviderContext, StaticIpProvider } from '@static-ip/provider';
import { OperatorError } from './operator-error.ts';

/** Where a plugin's name is looked up from. */
export interface ProviderLocation {
  readonly workingDirectory: string;
}

/**
 * Makes the provider named by `--provider`: `aws`, which is built in, or what a module's `createProvider` makes. A
 * module is a path (`./x.mjs`, `/opt/x`) or an npm name, both looked up from the working directory.
 * @throws OperatorError `providerUnusable` saying whether the module is missing, broken, or exports no provider;
 *   StaticIpError `invalid` as the provider itself throws it for its settings.
 */
export async function loadProvider(
  name: string,
  context: ProviderContext,
  { workingDirectory }: ProviderLocation,
): Promise<StaticIpProvider> {
  const exported =
    name === 'aws' ? await import('@static-ip/provider/aws') : await importPlugin(name, workingDirectory);
  if (!hasFactory(exported)) {
    throw unusable(
      name,
      `it does not export a function createProvider, only: ${Object.keys(exported).join(', ') || 'nothing'}`,
    );
  }
  const provider = await create(name, exported.createProvider, context);
  if (!isProvider(provider)) {
    throw unusable(name, `what its createProvider returns is no provider: ${faultsOf(provider).join('; ')}`);
  }
  return provider;
}

async function importPlugin(name: string, workingDirectory: string): Promise<object> {
  const url = locate(name, workingDirectory);
  try {
    const exported: unknown = await import(url);
    return typeof exported === 'object' && exported !== null ? exported : {};
  } catch (cause) {
    throw unusable(name, `its module failed while it was loaded: ${messageOf(cause)}`, cause);
  }
}

/** The bundle lies somewhere else than the plugin: names are resolved as if a file of the working directory asked. */
function locate(name: string, workingDirectory: string): string {
  const parent = pathToFileURL(join(workingDirectory, 'package.json')).href;
  try {
    if (!isPath(name)) return resolveModule(name, parent);
    // As a CommonJS path, so that a folder means its main file and an ending may be left out.
    return pathToFileURL(createRequire(parent).resolve(resolve(workingDirectory, name))).href;
  } catch (cause) {
    const hint = isPath(name) ? 'there is no such file' : `run npm install ${name} there, or give a path`;
    throw unusable(name, `its module cannot be found from ${workingDirectory}: ${hint}`, cause);
  }
}

function isPath(name: string): boolean {
  return isAbsolute(name) || name.startsWith('./') || name.startsWith('../');
}

function hasFactory(exported: object): exported is { readonly createProvider: CreateProvider } {
  return 'createProvider' in exported && typeof exported.createProvider === 'function';
}

async function create(name: string, createProvider: CreateProvider, context: ProviderContext): Promise<unknown> {
  try {
    return await createProvider(context);
  } catch (cause) {
    if (isStaticIpError(cause)) throw cause;
    throw unusable(name, `its createProvider failed: ${messageOf(cause)}`, cause);
  }
}

const METHODS = ['listAddresses', 'resolveTargets', 'attach', 'detach'] as const;
const CAPABILITIES = ['podTargets', 'atomicSwap', 'createsFromPool', 'allocation', 'quota', 'routes'] as const;
/** Methods that a capability promises. */
const PROMISED = { allocation: ['allocate', 'release', 'mark'], quota: ['quota'], routes: ['internetRoutes'] } as const;

/** All that is wrong with a would-be provider, in words; nothing when it is one. */
function faultsOf(value: unknown): readonly string[] {
  if (!isRecord(value)) return [`it is ${value === null ? 'null' : `a ${typeof value}`}, not an object`];
  const name = typeof value['name'] === 'string' ? [] : ['name is not a text'];
  return [...name, ...missing(value, METHODS, ''), ...capabilityFaults(value)];
}

function capabilityFaults(provider: Readonly<Record<string, unknown>>): readonly string[] {
  const capabilities = provider['capabilities'];
  if (!isRecord(capabilities)) return ['capabilities is missing'];
  const unsaid = CAPABILITIES.filter((capability) => typeof capabilities[capability] !== 'boolean');
  const promised = Object.entries(PROMISED).filter(([capability]) => capabilities[capability] === true);
  return [
    ...unsaid.map((capability) => `capabilities.${capability} is not true or false`),
    ...promised.flatMap(([capability, methods]) =>
      missing(provider, methods, `, though capabilities.${capability} is true`),
    ),
  ];
}

function missing(
  provider: Readonly<Record<string, unknown>>,
  methods: readonly string[],
  why: string,
): readonly string[] {
  return methods
    .filter((method) => typeof provider[method] !== 'function')
    .map((method) => `${method} is missing${why}`);
}

function isProvider(value: unknown): value is StaticIpProvider {
  return faultsOf(value).length === 0;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function unusable(name: string, why: string, cause?: unknown): OperatorError {
  return new OperatorError(
    'providerUnusable',
    `cannot use the provider ${name} (--provider, environment PROVIDER): ${why}`,
    {
      ...(cause === undefined ? {} : { cause }),
      fields: { provider: name },
    },
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
