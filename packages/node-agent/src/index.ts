export { AGENT_RETRY, AgentError, isAgentError } from './errors.ts';
export type { AgentErrorCode } from './errors.ts';
