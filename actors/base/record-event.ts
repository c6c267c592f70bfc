// How any part of the runtime says by a Kubernetes Event what happened to an object.

import type { UserEvent } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';

export type RecordEvent = (object: KubeObject, event: UserEvent) => void;
