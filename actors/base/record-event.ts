// The function by which any part of the runtime records a Kubernetes Event about an object.

import type { UserEvent } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';

export type RecordEvent = (object: KubeObject, event: UserEvent) => void;
