export type { Address, Attachment, Pool, Selection } from './address.ts';
export type { CreateProvider } from './factory.ts';
export { RETRY, StaticIpError, isStaticIpError, toStaticIpError } from './errors.ts';
export type { RetryClass, StaticIpErrorCode } from './errors.ts';
export type { Clock, CloudCall, Fence, ProviderContext, Random, RateLimit } from './ports.ts';
export type {
  AllocateRequest,
  AttachRequest,
  AttachStep,
  CallOptions,
  Candidate,
  Capabilities,
  DetachStep,
  InternetRoute,
  Listing,
  Quota,
  StaticIpProvider,
} from './provider.ts';
export { targetRefKey } from './target.ts';
export type { AutomaticAddress, Resolution, Target, TargetRef } from './target.ts';
export { explainSkipped, selectCandidates } from './matching.ts';
export type { CandidateChoice, IdSet, PlaceCounts, Skipped, Wanted } from './matching.ts';
export { isMarkedRetained, OWNER_TAG, ownerTags, ownershipOf, RETAINED_MARK } from './owner-tags.ts';
export type { AddressOwner, Ownership } from './owner-tags.ts';
export { coalesced } from './decorators/coalesced.ts';
export type { CoalescedOptions } from './decorators/coalesced.ts';
export { assertSelective, isSelected, selectionKey } from './selection.ts';
export { instrumented } from './decorators/instrumented.ts';
export type { VerbOutcome } from './decorators/instrumented.ts';
export { rateLimited } from './decorators/rate-limited.ts';
export { readOnly } from './decorators/read-only.ts';
export { aroundVerbs } from './decorators/around-verbs.ts';
export type { Verb } from './decorators/around-verbs.ts';
