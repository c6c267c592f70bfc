// BMCEventSubscription: an external resource, which is part of the BMC of the host that it names.
import type { ResourceView } from '../../../machines/external-resource/context.ts';
import { externalResourceLife, type ResourceState } from '../../../machines/external-resource/lifecycle.ts';
import type { Reference } from '../../../machines/kind.ts';
import { type StatusPart, type StatusSummary, Tag } from '../../../machines/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../../machines/object.ts';
import type { DeclaredKind } from '../../api/adapter.ts';
import {
  EVENT_SUBSCRIPTION_FINALIZER,
  recordedSubscription,
  subscriptionId,
  subscriptionIntent,
} from '../host/event-subscription.ts';
import { mapOf, textOf } from '../json-values.ts';
import { metal3Resource } from '../serving.ts';

const MANAGER = 'metal3/bmc-event-subscription';

export const bmcEventSubscription: DeclaredKind = {
  ...metal3Resource('BMCEventSubscription', 'bmceventsubscriptions'),
  finalizer: EVENT_SUBSCRIPTION_FINALIZER,
  guards: [],
  fieldManagers: { finalizer: `${MANAGER}-finalizer`, guards: MANAGER },
  references,
  children: () => [],
  publicState: (object, isNow = isMade(object)) => ({ ready: isNow, id: object.metadata.name }),
  life: externalResourceLife({
    view,
    status: (standing, object) => part(object, saidOf(standing)),
    recorded: recordedSubscription,
    externalId: recordedSubscription,
    recording: (object, name) => part(object, { name, error: '' }),
    mayHaveUnrecordedCreate: (object) => isOwned(object) && recordedSubscription(object) === undefined,
    intent: ({ object }) => subscriptionIntent(object),
    summarize: statusSummary,
    ambiguity: 'several subscriptions of the BMC may be the one that was asked for',
  }),
  operations: ['find', 'identify', 'import', 'create', 'observe', 'update', 'remove'],
};

function references({ metadata, spec }: KubeObject): readonly Reference[] {
  const host = textOf(spec?.['hostName']);
  const { name, namespace } = mapOf(spec?.['httpHeadersRef']);
  const isNear = textOf(namespace) === '' || namespace === metadata.namespace;
  const fixed = { finalizers: [], fixed: true } as const;
  return [
    ...(host === ''
      ? []
      : [{ kind: 'BareMetalHost', name: host, ...fixed, neededFor: 'always', isContainedIn: true } as const]),
    ...(textOf(name) === '' || !isNear
      ? []
      : [{ kind: 'Secret', name: textOf(name), ...fixed, neededFor: 'create' } as const]),
  ];
}

function view(object: KubeObject): ResourceView {
  const { uid, generation = 0, deletionTimestamp, finalizers = [] } = object.metadata;
  const isAvailable = isMade(object);
  return {
    uid,
    generation,
    deleting: deletionTimestamp !== undefined,
    finalizers,
    finalizer: EVENT_SUBSCRIPTION_FINALIZER,
    owned: isOwned(object),
    externalId: recordedSubscription(object),
    managed: true,
    detached: false,
    settled: isAvailable && isOwned(object) && textOf(object.status?.['error']) === '' ? 'available' : 'no',
    available: isAvailable,
    resyncInMs: undefined,
    resyncEveryMs: undefined,
  };
}

function statusSummary(object: KubeObject): StatusSummary | undefined {
  if (!isOwned(object)) return undefined;
  const message = textOf(object.status?.['error']);
  if (message !== '') return { tags: [Tag.Failing], message };
  return { tags: isMade(object) ? [Tag.Settled, Tag.Available] : [Tag.Waiting], message };
}

interface Said {
  /** See `subscriptionName`. */
  readonly name: string | undefined;
  /** Empty: nothing is wrong. */
  readonly error: string;
}

function saidOf({ externalId, error, conflictingOwner, awaited, waiting }: ResourceState): Said {
  const words = [
    ...(error === undefined ? [] : [error.message]),
    ...(conflictingOwner === undefined
      ? []
      : [`the subscription that it would have is that of '${conflictingOwner.name}'`]),
    ...awaited.map(lackOf),
    ...waiting,
  ];
  return { name: externalId, error: words.join('; ') };
}

function lackOf({ kind, name, exists }: ResourceState['awaited'][number]): string {
  if (kind === 'Secret')
    return `the Secret '${name}' with the headers ${exists ? 'is being deleted' : 'does not exist'}`;
  return `host '${name}' ${exists ? 'is paused, detached or not registered' : 'does not exist'}`;
}

/**
 * Fields without a value are written as empty rather than left out: other field managers may have written them, and
 * server-side apply removes only our own fields.
 */
function part({ status = {} }: KubeObject, { name, error }: Said): StatusPart {
  const wanted: JsonObject = { subscriptionID: name === undefined ? '' : subscriptionId(name), error };
  const said = Object.entries(wanted).filter(([field, value]) => value !== '' || status[field] !== undefined);
  return { manager: MANAGER, status: Object.fromEntries(said), stored: status };
}

function isMade(object: KubeObject): boolean {
  return recordedSubscription(object) !== undefined;
}

function isOwned({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(EVENT_SUBSCRIPTION_FINALIZER) === true;
}
