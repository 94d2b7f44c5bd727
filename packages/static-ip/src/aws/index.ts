export {
  AWS_ALLOCATION_ACTIONS,
  AWS_NODE_ACTIONS,
  AWS_OPTIONAL_ACTIONS,
  AWS_QUOTA_ACTIONS,
  AWS_TAG_ACTIONS,
} from './actions.ts';
export { createProvider } from './create-provider.ts';
export { EC2_RATES } from './rates.ts';
