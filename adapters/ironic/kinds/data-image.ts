// DataImage: the dependencies on its host, and one reconcile attempt.

import { dataImageStepPauseMs } from '../../../machines/bare-metal-host/delays.ts';
import type { Dependency, DependencyAnswer } from '../../../machines/lifecycle.ts';
import { Readiness } from '../../../machines/lifecycle.ts';
import type { ErrorData, JsonObject, KubeObject } from '../../../machines/object.ts';
import type { Verdict } from '../../../machines/reconcile-loop/context.ts';
import { type ReconcileAttempt, reconcileLoop } from '../../../machines/reconcile-loop/lifecycle.ts';
import type { DeclaredKind } from '../../api/adapter.ts';
import {
  type Asked,
  attachedUrl,
  DATA_IMAGE_FINALIZER,
  type DataImage,
  DataImageDelayMs,
  type DataImageHost,
  type DataImageOutcome,
  dataImageReconciler,
  dataImageStatus,
  dataImageStep,
  insertedCds,
  isDataImageSettled,
  type VirtualMedia,
} from '../host/data-image.ts';
import { textOf } from '../json-values.ts';
import { metal3Resource } from '../serving.ts';
import type { MediaOrder } from '../steps/data-images.ts';

const MANAGER = 'metal3/data-image';
const HOST = 'BareMetalHost';
const DEPLOYED: ReadonlySet<unknown> = new Set(['provisioned', 'externally provisioned']);

/** State from one attempt to the next of the lifecycle. A type, since an interface is not assignable to JSON. */
type Notes = {
  /** It was looked at since the host is about to be powered on. */
  readonly hasLooked?: boolean;
  /** Ironic took an order, and what it does was not seen yet. */
  readonly attach?: string;
  /** Number of CDs that were in before that order. */
  readonly before?: number;
  readonly detach?: boolean;
  /** After a failure: milliseconds since the epoch, and the generation that it was for. */
  readonly retryAt?: number;
  readonly generation?: number;
};

export const dataImage: DeclaredKind = {
  ...metal3Resource('DataImage', 'dataimages'),
  finalizer: DATA_IMAGE_FINALIZER,
  guards: [],
  fieldManagers: { finalizer: `${MANAGER}-finalizer`, guards: MANAGER },
  references: ({ metadata: { name } }) => [{ kind: HOST, name, finalizers: [], neededFor: 'always', fixed: true }],
  children: () => [],
  publicState(object) {
    const isSettled = isDataImageSettled(imageOf(object));
    return { ready: isSettled, id: object.metadata.name, attributes: { isSettled } };
  },
  life: reconcileLoop({
    view(object) {
      const { generation = 0, deletionTimestamp, ownerReferences = [] } = object.metadata;
      const image = imageOf(object);
      const isKnown = image.status?.lastReconciled != null && ownerReferences.some(({ kind }) => kind === HOST);
      return {
        generation,
        deleting: deletionTimestamp !== undefined,
        owned: isHeld(object),
        // It is deleted once the image is detached, independent of other holders.
        heldBy: [],
        settled: isKnown && isDataImageSettled(image),
        basis: textOf(object.spec?.['url']),
      };
    },
    reconcile,
    // A requested image may be inserted without being on record.
    mayHaveUnrecordedCreate: (object) => isHeld(object) && attachedUrl(imageOf(object)) === '',
    intent: ({ object }) => ({ url: textOf(object.spec?.['url']) }),
    wakesOn: (before, now) => JSON.stringify(hostIn(before)) !== JSON.stringify(hostIn(now)),
    problemMessage: (object) => imageOf(object).status?.error?.message ?? undefined,
    failure: 'DataImageFailed',
  }),
  operations: ['look', 'attach', 'detach'],
};

async function reconcile({ ports, object, dependencies, notes: given, owned }: ReconcileAttempt): Promise<Verdict> {
  // Before anything else, as the reference does.
  if (!owned && object.metadata.deletionTimestamp === undefined) return { next: 'guard' };
  const notes = given as Notes;
  const image = imageOf(object);
  const host = hostAmong(dependencies);
  const asked = askedOf(image, notes, ports.intents());
  const upkeep = dataImageReconciler(image, host, { asked, hasLooked: notes.hasLooked === true });
  switch (upkeep.next) {
    case 'adopt':
      await ports.setOwnerReference(`${MANAGER}-owner`, { kind: HOST, name: object.metadata.name });
      return again(notes);
    case 'rest':
    case 'leave':
      return upkeep;
  }
  const { mayMove } = upkeep;
  const { retryAt = 0, generation } = notes;
  const leftMs = retryAt - ports.now();
  // Another spec is tried at once.
  if (leftMs > 0 && generation === object.metadata.generation) return pause(leftMs, notes);

  const media = await looked(() => ports.call('look') as Promise<VirtualMedia>);
  const step = dataImageStep(image, { media, mayMove, asked });
  switch (step.next) {
    case 'proceed':
      if (object.metadata.deletionTimestamp !== undefined) return pause(DataImageDelayMs.Detach, {});
      return mayMove ? again({ hasLooked: true }) : { next: 'rest' };
    case 'wait':
      return pause(step.delayMs, notes);
    case 'record':
      return record(step.outcome, notes);
    case 'detach': {
      const order = (await ports.call('detach')) as MediaOrder;
      return order.kind === 'taken' ? pause(DataImageDelayMs.Busy, { detach: true }) : notTaken(order);
    }
    case 'attach': {
      // As it is now: what is listed as asked for is what is asked for.
      const url = textOf(ports.object().spec?.['url']);
      const order = (await ports.callOnce('attach', { url })) as MediaOrder;
      const before = media.kind === 'read' ? insertedCds(media.media) : 0;
      if (order.kind === 'taken') return pause(DataImageDelayMs.Busy, { attach: url, before });
      ports.discardIntents();
      return notTaken(order);
    }
  }

  function notTaken(order: Exclude<MediaOrder, { readonly kind: 'taken' }>): Promise<Verdict> | Verdict {
    if (order.kind === 'busy') return pause(DataImageDelayMs.Busy, {});
    return record({ kind: 'failed', message: order.message }, {});
  }

  async function record(outcome: DataImageOutcome, kept: Notes): Promise<Verdict> {
    const status = dataImageStatus(imageOf(ports.object()), outcome, ports.now());
    await ports.storeStatus(MANAGER, status);
    // The effect of the request was observed, or the request is given up.
    if (outcome.kind === 'attached' || outcome.kind === 'failed') ports.discardIntents();
    if (outcome.kind === 'unchanged') return again({ ...kept, ...(mayMove && { hasLooked: true }) });
    if (outcome.kind === 'attached') return again({ hasLooked: true });
    if (outcome.kind === 'detached' || isDataImageSettled({ ...image, status })) return again({});
    const pauseMs = dataImageStepPauseMs(status.error?.count, ports.random());
    return pause(pauseMs, { retryAt: ports.now() + pauseMs, generation: object.metadata.generation ?? 0 });
  }
}

/** A look that fails is not made again before its time. */
async function looked(look: () => Promise<VirtualMedia>): Promise<VirtualMedia> {
  try {
    return await look();
  } catch (error) {
    const { retryAfterMs = 0, ...failure } = error as ErrorData;
    throw { ...failure, retryAfterMs: Math.max(retryAfterMs, DataImageDelayMs.QueryFailed) } satisfies ErrorData;
  }
}

/** Requests that this lifecycle, or an earlier one, has sent to Ironic. */
function askedOf(image: DataImage, { attach, before, detach }: Notes, intents: readonly JsonObject[]): Asked {
  const listed = attachedUrl(image) === '' ? textOf(intents.at(-1)?.['url']) : '';
  return { attach: attach ?? (listed || undefined), before, detach };
}

function pause(pauseMs: number, notes: Notes): Verdict {
  return { next: 'pause', pauseMs, notes };
}

function again(notes: Notes): Verdict {
  return pause(0, notes);
}

function hostAmong(dependencies: readonly Dependency[]): DataImageHost | undefined {
  return hostIn(dependencies.find(({ kind }) => kind === HOST)?.answer);
}

function hostIn(answer: DependencyAnswer | undefined): DataImageHost | undefined {
  if (answer === undefined || answer.readiness === Readiness.Absent) return undefined;
  const { isPaused, isDetached, state, poweredOn, online } = answer.attributes ?? {};
  const isRegistered = answer.readiness === Readiness.Ready && answer.externalId !== undefined;
  return {
    uid: answer.uid,
    isPaused: isPaused === true,
    isDetached: isDetached === true,
    isRegistered,
    isStarting: isRegistered && DEPLOYED.has(state) && poweredOn === false && online === true,
  };
}

function imageOf(object: KubeObject): DataImage {
  return object as DataImage;
}

function isHeld({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(DATA_IMAGE_FINALIZER) === true;
}
