import { once } from 'node:events';
import { findOperatorBundle } from '../subject/operator-bundle.ts';
import type { Narrator } from './narrator.ts';
import { setStage } from './stage.ts';
import type { Stage } from './stage.ts';
import { tellStory } from './story.ts';

export interface DemoOptions {
  /** Whether to leave everything running until the signal aborts. */
  readonly keep: boolean;
  /** The operator's bundle. */
  readonly operator: string;
  readonly narrator: Narrator;
}

/** Sets the stage, tells the story, cleans up. Resolves to the exit code: 1 when the world is not as told. */
export async function runDemo({ keep, operator, narrator }: DemoOptions, signal: AbortSignal): Promise<0 | 1> {
  const startedMs = performance.now();
  let stage: Stage | undefined;
  try {
    const bundle = findOperatorBundle(operator);
    narrator.title('A cluster and a cloud');
    stage = await setStage({ bundle, narrator }, signal);
    await tellStory(stage, narrator, signal);
    narrator.say(`Done in ${((performance.now() - startedMs) / 1000).toFixed(0)} s.`);
    if (keep) await untilInterrupted(stage, narrator, signal);
    return 0;
  } catch (error) {
    narrator.say(`The demo failed: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    await stage?.stop();
  }
}

async function untilInterrupted(stage: Stage, narrator: Narrator, signal: AbortSignal): Promise<void> {
  narrator.title('All yours, until Ctrl-C');
  const { KUBECONFIG: _operator, PATH: _path, HOME: _home, ...cloud } = stage.environment;
  const variables = Object.entries({ KUBECONFIG: stage.cluster.kubeconfigPath, ...cloud });
  narrator.show(variables.map(([name, value]) => `export ${name}=${value}`).join('\n'));
  narrator.say('Try: kubectl get ciliumnodes -o yaml, kubectl get events, aws ec2 describe-addresses');
  narrator.say(`Logs: ${stage.cluster.dataDir}/*.log`);
  if (!signal.aborted) await once(signal, 'abort');
}
