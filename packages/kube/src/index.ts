export type { Clock, Random } from './clock/clock.ts';
export { systemClock, systemRandom } from './clock/system-clock.ts';
export { isKubeError, KUBE_RETRY, KubeError } from './errors.ts';
export type { KubeErrorCode, KubeErrorDetails, KubeRetry } from './errors.ts';
export { apiVersionOf, objectKey, parseObjectKey } from './objects/object.ts';
export type { KubeMetadata, KubeObject, ObjectRef, OwnerReference, Resource } from './objects/object.ts';
export { parseMetadata } from './objects/parse-metadata.ts';
export type {
  DeleteOptions,
  Json,
  JsonObject,
  JsonPatchOperation,
  KubeClient,
  ListOptions,
  ListPage,
  Patch,
  RejectedObject,
  Selection,
  WatchEvent,
  WatchOptions,
} from './client/kube-client.ts';
export { countRequests } from './client/count-requests.ts';
export { createKubeClient } from './client/create-kube-client.ts';
export type { KubeClientOptions } from './client/create-kube-client.ts';
export { createInformer } from './informer/informer.ts';
export type { Informer, InformerHooks, InformerOptions } from './informer/informer.ts';
export type { ErrorContext, InformerPhase } from './informer/list-and-watch.ts';
export type { ChangeHandler, ReadonlyStore } from './informer/store.ts';
export { createWorkQueue } from './queue/work-queue.ts';
export type { WorkQueue, WorkQueueOptions } from './queue/work-queue.ts';
export { again, failed, settled } from './controller/outcome.ts';
export type { Outcome } from './controller/outcome.ts';
export { runController } from './controller/run-controller.ts';
export { errorCode } from './controller/error-code.ts';
export type {
  ControllerHooks,
  ControllerOptions,
  ReconcileContext,
  ReconcileReport,
} from './controller/run-controller.ts';
export { createLimiter } from './timing/limiter.ts';
export type { Limiter } from './timing/limiter.ts';
export { createLeaseElection } from './election/lease-election.ts';
export type { ElectionHooks, ElectionOptions, LeaseElection } from './election/lease-election.ts';
export type { Fence } from './election/term.ts';
export { createEventRecorder } from './events/event-recorder.ts';
export type { EventRecorder, EventRecorderOptions } from './events/event-recorder.ts';
export type { EventRecord, Regarding } from './events/event-record.ts';
export { mergePatchIfChanged } from './patch/merge-patch.ts';
export { addFinalizerPatch, removeFinalizerPatch } from './patch/finalizer-patch.ts';
