import { isStaticIpError } from '../errors.ts';
import { createProvider } from './create-provider.ts';
import { contextFor } from './test-context.test.fixture.ts';

/** Run as a process of its own: allocates once at the endpoint given and writes the code of the outcome. */
const provider = await createProvider(contextFor(process.argv[2] ?? '').context);
const outcome = await provider.allocate?.({ tags: {} }, { signal: new AbortController().signal }).then(
  () => 'ok',
  (error: unknown) => (isStaticIpError(error) ? error.code : String(error)),
);
process.stdout.write(String(outcome));
