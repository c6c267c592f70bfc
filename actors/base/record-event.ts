// Function by which the runtime emits Kubernetes Events about objects.

import type { UserEvent } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';

export type RecordEvent = (object: KubeObject, event: UserEvent) => void;
