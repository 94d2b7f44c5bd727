import { formatFinding } from '@static-ip/cni-config';
import type { Finding } from '@static-ip/cni-config';
import { REASONS } from '../api/reasons.ts';
import type { PublishHooks } from '../publish/run-publish.ts';
import type { AgentDeps } from './agent-deps.ts';
import { codeOf } from './error-code.ts';
import { tellNode } from './tell-node.ts';

const JOB = 'publish';

/** Log, metrics and Events of the job `publish`. */
export function publishHooks(deps: AgentDeps): PublishHooks {
  const { metrics } = deps;
  const logger = deps.logger.child({ job: JOB });
  return {
    onState: ({ reason, note }, { isWritten }) => {
      metrics.state(JOB, reason);
      const isWarning = REASONS[reason] === 'Warning';
      logger[isWarning ? 'warn' : 'info']('State of the tags', { reason, note });
      // A new process that finds things as it left them has nothing to tell.
      const isNews = isWarning || isWritten || reason === 'TagsRemovalPending';
      if (isNews) tellNode(deps, { reason, action: 'PublishTags', note });
    },
    onWrite: () => metrics.wroteTags(),
    onFindings: (findings) => {
      metrics.findings(findings);
      if (findings.length === 0) logger.info('The CNI configuration is in order again');
      for (const finding of findings) tellFinding(deps, finding);
    },
    onError: (err, { nextInMs }) => {
      metrics.failed(JOB, codeOf(err));
      logger.warn('Cannot publish the tags, trying again', { err, nextInMs });
    },
  };
}

function tellFinding(deps: AgentDeps, finding: Finding): void {
  const { severity, message, ...place } = finding;
  const logger = deps.logger.child({ job: JOB });
  if (severity === 'info')
    return logger.debug('Found something in the CNI configuration', { ...place, detail: message });
  logger.warn('Found something in the CNI configuration', { ...place, severity, detail: message });
  const reason = severity === 'error' ? 'CniConfigError' : 'CniConfigWarning';
  tellNode(deps, { reason, action: 'ReadNetworkConfig', note: formatFinding(finding) });
}
