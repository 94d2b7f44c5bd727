import type { ProviderContext } from './ports.ts';
import type { StaticIpProvider } from './provider.ts';

/**
 * What a provider module exports under the name `createProvider`. It opens no connection and makes no call; it throws
 * StaticIpError `invalid` for settings that can never work.
 */
export type CreateProvider = (context: ProviderContext) => StaticIpProvider | Promise<StaticIpProvider>;
