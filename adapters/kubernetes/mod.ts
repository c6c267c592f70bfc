export {
  type Contract,
  type CrdFile,
  crd,
  crdFile,
  crdFileName,
  crdName,
  crdText,
  type KindContract,
  type KindDefinition,
} from '../api/contract/crds.ts';
export { kubeClient } from './client.ts';
export { delegatedObjects } from './delegated.ts';
export { type EventRecord, type Events, EventType, events, subjectOf } from './events.ts';
export { objects } from './objects.ts';
export type { ApplyOptions, KubeClient, ObjectList, Objects } from './ports.ts';
export { ExpiredError, ForbiddenError, outcomeOf } from './refusals.ts';
export { acceptOf, compareVersions, type Resource, referenceTo, resourcePath, SECRETS } from './resource.ts';
export { type WatchHandlers, watchResource } from './watch.ts';
