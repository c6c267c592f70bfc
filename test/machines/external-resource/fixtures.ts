// Objects, dependencies and answers of effects that lead the chart of external resources everywhere.
import type { EventFromLogic } from 'xstate';
import type { ResourceView } from '../../../machines/external-resource/context.ts';
import type { externalResourceMachine } from '../../../machines/external-resource/machine.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { Dependency, Readiness, ResourceOwner } from '../../../machines/lifecycle.ts';
import type { ErrorData } from '../../../machines/object.ts';

export const OWN = 'example.org/own';
export const GUARD = 'example.org/guard';

export function view(changes: Partial<ResourceView> = {}): ResourceView {
  const finalizers = changes.finalizers ?? [];
  return {
    uid: 'uid-1',
    generation: 1,
    deleting: false,
    finalizers,
    finalizer: OWN,
    owned: finalizers.includes(OWN),
    externalId: undefined,
    managed: true,
    detached: changes.managed === false,
    settled: 'no',
    available: changes.settled === 'available',
    resyncInMs: undefined,
    resyncEveryMs: undefined,
    ...changes,
  };
}

export const owned = { finalizers: [OWN] };

export function dependency(readiness: Readiness | undefined, changes: Partial<Dependency> = {}): Dependency {
  const answer = readiness === undefined ? undefined : { readiness, uid: 'network-1', externalId: 'id-n' };
  return { kind: 'Network', name: 'net', finalizers: [OWN], neededFor: 'create', answer, ...changes };
}

export const secret: Dependency = {
  kind: 'Secret',
  name: 'clouds',
  finalizers: [OWN],
  neededFor: 'always',
  answer: { readiness: 'ready', uid: 'secret-1', version: '1' },
};

export function observation(changes: Partial<Observation> = {}): Observation {
  return { id: 'id-1', attributes: {}, resource: { name: 'one' }, available: true, ...changes };
}

export const transient: ErrorData = { code: 'transient', message: 'the cloud is busy' };
export const unsent: ErrorData = { ...transient, message: 'the cloud was too busy to take the call', unsent: true };
export const lacking: ErrorData = { code: 'transient', message: 'Waiting for something', waiting: true };
export const outrun: ErrorData = { code: 'conflict', message: 'somebody else is at it' };
export const terminal: ErrorData = { code: 'terminal', message: 'no such thing', reason: 'InvalidConfiguration' };

/** The same, where no change of the spec helps. */
export const passing: ErrorData = { ...terminal, reason: 'UnrecoverableError', passing: true };

type ResourceEvent = EventFromLogic<typeof externalResourceMachine>;

export const conflictingOwner: ResourceOwner = {
  kind: 'Thing',
  namespace: 'other',
  name: 'twin',
  uid: 'twin-1',
  externalId: 'id-1',
};

/** Every event the machine can hear, answers and timers included. */
export function allEvents(): readonly ResourceEvent[] {
  const at = 0;
  const objects = [
    view(),
    view(owned),
    view({ ...owned, externalId: 'id-1' }),
    view({ deleting: true, finalizers: [OWN, GUARD] }),
    view({ ...owned, deleting: true }),
    view({ deleting: true, generation: 3 }),
  ];
  const dependencies = [
    [secret, dependency('ready')],
    [secret, dependency('pending')],
    [secret, dependency('deleting')],
    [dependency('ready', { ...secret, answer: undefined })],
    [secret, dependency('ready', { finalizers: [], neededFor: 'never' })],
  ];
  const done = (id: string, output: unknown) => ({ type: `xstate.done.actor.${id}`, output, actorId: id });
  const failed = (id: string, error: unknown) => ({ type: `xstate.error.actor.${id}`, error, actorId: id });
  const finds = [
    { matches: [], exact: true, at },
    { matches: [observation()], exact: true, at },
    { matches: [observation(), observation({ id: 'id-2' })], exact: true, at },
    { matches: [observation()], exact: false, at },
    { matches: [observation()], exact: true, at, earlier: true },
  ];
  const observations = [
    observation(),
    observation({ available: false }),
    observation({ available: false, pollAfterMs: 1_000 }),
    undefined,
  ];
  const effects: Record<string, readonly unknown[]> = {
    addOwnFinalizer: [undefined],
    prefetch: finds,
    probe: finds,
    adopt: finds,
    search: finds,
    resolveOwnership: [
      { conflictingOwner: undefined, at },
      { conflictingOwner, at },
    ],
    resolveOwnershipOnDelete: [
      { conflictingOwner: undefined, at },
      { conflictingOwner, at },
    ],
    yield: [{ kind: 'stored' }],
    import: observations,
    create: observations.slice(0, 3),
    observe: observations,
    confirm: [observation(), undefined],
    record: [{ kind: 'stored' }, { kind: 'lost', externalId: 'id-9' }],
    forget: [{ kind: 'stored' }],
    recordFound: [{ kind: 'stored' }, { kind: 'lost', externalId: 'id-9' }],
    discard: [undefined],
    watch: [],
    watchRemoval: [],
    announce: [undefined],
    delegate: [undefined, { changed: false, waiting: ['Waiting for something'] }],
    announceDelegation: [undefined],
    announceAttempt: [undefined],
    fill: [undefined],
    update: [
      { changed: false },
      { changed: true },
      { changed: false, empty: true },
      { changed: false, waiting: ['Waiting for something'] },
    ],
    remove: [undefined],
    removeChildren: [{ gone: true }, { gone: false }],
    endClaims: [undefined],
    withdraw: [undefined],
    removeOwnFinalizer: [undefined],
  };
  const seen = observations.map((observation) => ({ type: 'observed', observation }));
  const after: Record<string, string> = {
    importPause: 'lifecycle.building.awaitingExternal',
    turnPause: 'lifecycle.building.reservationLost',
    unclearPause: 'lifecycle.claiming.undetermined',
    backoff: 'lifecycle.backingOff',
    repassPause: 'lifecycle.reconciling.awaitingReady',
    rereadPause: 'lifecycle.reconciling.recheckingUpdate',
    removalPatience: 'lifecycle.deleting.awaitingRemoval',
    childrenPause: 'lifecycle.deleting.awaitingChildren',
  };
  const backoffs = [
    'lifecycle.building.retryingRecord',
    'lifecycle.building.retryingDiscard',
    'lifecycle.deleting.backingOff',
    'lifecycle.deleting.retryingRelease',
    'lifecycle.withdrawingAgain',
  ];
  const events = [
    { type: 'lifecycle.started' },
    { type: 'owner.released' },
    { type: 'content.progressed', progress: { bytes: 1 } },
    ...objects.flatMap((object) =>
      dependencies.slice(0, 1).map((some) => ({ type: 'object.changed', object, dependencies: some, at })),
    ),
    ...seen,
    ...dependencies.map((some) => ({ type: 'dependencies.changed', dependencies: some, at })),
    ...Object.entries(effects).flatMap(([id, outputs]) => [
      ...outputs.map((output) => done(id, output)),
      failed(id, transient),
      failed(id, terminal),
      ...(id === 'create' || id.startsWith('resolveOwnership') ? [failed(id, outrun)] : []),
      ...(id === 'create' ? [failed(id, lacking)] : []),
    ]),
    ...Object.entries(after).map(([delay, state]) => ({ type: `xstate.after.${delay}.externalResource.${state}` })),
    ...backoffs.map((state) => ({ type: `xstate.after.backoff.externalResource.${state}` })),
    { type: 'xstate.after.unclearPause.externalResource.lifecycle.deleting.undetermined' },
    { type: 'xstate.after.resync.idle' },
    { type: 'xstate.after.relook.failed' },
    { type: 'xstate.after.echo.externalResource.lifecycle.idle.available' },
    { type: 'xstate.after.relook.externalResource.lifecycle.idle.unavailable' },
  ];
  return events as unknown as readonly ResourceEvent[];
}
