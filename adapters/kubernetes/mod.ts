export { ExpiredError, ForbiddenError, type KubeClient, kubeClient } from './client.ts';
export { type CrdFile, crd, crdFile, type KindContract } from './crds.ts';
export { type EventRecord, type Events, EventType, events, subjectOf } from './events.ts';
export { type ObjectList, type Objects, objects } from './objects.ts';
export { acceptOf, compareVersions, type Resource, resourcePath, SECRETS } from './resource.ts';
export { type WatchHandlers, watchResource } from './watch.ts';
