// Book: a kind with a life of its own. What the chart decides by, what it says, and its effects over what the runtime does.
import {
  type DeclaredKind,
  type EffectRun,
  type ErrorData,
  effectsOver,
  type JsonObject,
  type KubeObject,
  type Lifecycle,
  type LongCallRequest,
  type OperationRequest,
  type Operations,
  type PortsOf,
  type Reference,
  type SnapshotFrom,
  type StatusPart,
  Tag,
} from 'troupe/adapter';
import {
  awaited,
  type BookContext,
  type BookView,
  backoffMs,
  bookMachine,
  type Look,
  type PrintInput,
  type Progress,
} from './book-machine.ts';
import { GROUP, VERSION } from './contracts.ts';
import type { Shop } from './print-shop.ts';

const FINALIZER = `${GROUP}/book`;
/** A second guard on the paper: one for what is built of it, one for the press that it lies in. */
const ON_THE_PRESS = `${GROUP}/on-the-press`;
/** Asks for another print; removed when the old one has been thrown away. */
export const REPRINT = `${GROUP}/reprint`;
const MANAGERS = { book: 'press/book-status', progress: 'press/book-progress' };
const COVER_GRAMS = 200;

export interface BookOptions {
  /** So long after it was sent the print shop may begin to print, in milliseconds. */
  readonly inDoubtForMs: number;
}

export function book(options: BookOptions): DeclaredKind {
  return {
    realm: 'press',
    group: GROUP,
    version: VERSION,
    kind: 'Book',
    plural: 'books',
    retains: { annotations: [REPRINT] },
    finalizer: FINALIZER,
    guards: [FINALIZER, ON_THE_PRESS],
    allowsCrossNamespace: true,
    fieldManagers: { finalizer: 'press/finalizer', guards: 'press/book' },
    references,
    children: ({ metadata: { name }, spec = {} }) => [
      {
        kind: 'ConfigMap',
        name: `${name}-colophon`,
        content: { data: { title: spec['title'] ?? '' } },
        onDrift: 'apply',
      },
      { kind: 'Paper', name: `${name}-cover`, content: { spec: { grams: COVER_GRAMS } }, onDrift: 'replace' },
    ],
    // It has no id: its slot goes by its uid, and others know it by its name.
    publicState: (object, isNow = isBound(object)) => ({ ready: isNow, id: object.metadata.name }),
    life: life(options),
    operations: ['reserve', 'look', 'print', 'bind', 'recycle', 'discard'],
  };
}

function references({ metadata: { name }, spec = {} }: KubeObject): readonly Reference[] {
  const { paperRef, sequelTo } = spec as { paperRef: { name: string; namespace?: string }; sequelTo?: string };
  const unguarded = { finalizers: [], neededFor: 'never' } as const;
  return [
    { kind: 'Paper', ...paperRef, finalizers: [FINALIZER, ON_THE_PRESS], neededFor: 'create', fixed: true },
    ...(sequelTo === undefined ? [] : [{ kind: 'Book', name: sequelTo, finalizers: [], neededFor: 'create' } as const]),
    { kind: 'ConfigMap', name: `${name}-colophon`, ...unguarded },
    { kind: 'Paper', name: `${name}-cover`, ...unguarded },
  ];
}

function life(options: BookOptions): Lifecycle {
  return {
    machine: bookMachine,
    provide: (portsOf) => provide(portsOf, options),
    view,
    statusKey(snapshot) {
      if (snapshot.hasTag(Tag.Busy)) return undefined;
      const { context } = snapshot as Snapshot;
      return JSON.stringify([wordFor(snapshot as Snapshot), context.progress, context.object.generation]);
    },
    status: (snapshot, object) => statusOf(snapshot as Snapshot, object),
    mayHaveUnrecordedCreate: (object) => isOwned(object) && !isBound(object),
    inDoubtForMs: options.inDoubtForMs,
    failureStatus: (object, error) => [said(object, { phase: 'Trouble', message: error.message })],
    canPassivate: (snapshot, now) => {
      const { object, inDoubtUntil } = (snapshot as Snapshot).context;
      return inDoubtUntil <= now && (object.settled || snapshot.hasTag(Tag.Terminal));
    },
    // A child that was edited or taken away is put right, however long the book has been at rest.
    wakesOn: (before, now) => JSON.stringify(before) !== JSON.stringify(now),
    stepDetails: (snapshot) => ({ error: (snapshot as Snapshot).context.error }),
    userEvents: () => (step) =>
      step.from !== undefined && !step.from.hasTag(Tag.Available) && step.to.hasTag(Tag.Available)
        ? { type: 'Normal', reason: 'Bound', message: 'The book is printed and bound' }
        : undefined,
  };
}

type Snapshot = SnapshotFrom<typeof bookMachine>;

function view(object: KubeObject): BookView {
  const { generation = 0, deletionTimestamp, finalizers = [], annotations = {} } = object.metadata;
  const deleting = deletionTimestamp !== undefined;
  return {
    generation,
    deleting,
    owned: isOwned(object),
    heldBy: deleting ? finalizers.filter((finalizer) => finalizer !== FINALIZER) : [],
    settled: isBound(object) && object.status?.['observedGeneration'] === generation,
    reprint: annotations[REPRINT] !== undefined,
  };
}

const isBound = ({ status }: KubeObject): boolean => status?.['phase'] === 'Bound';
const isOwned = ({ metadata }: KubeObject): boolean => metadata.finalizers?.includes(FINALIZER) === true;

function wordFor(snapshot: Snapshot): { readonly phase: string; readonly message?: string } {
  const { error, object, waiting } = snapshot.context;
  if (snapshot.hasTag(Tag.Failing)) {
    return { phase: snapshot.hasTag(Tag.Terminal) ? 'Refused' : 'Failing', message: error?.message ?? '' };
  }
  if (snapshot.hasTag(Tag.Held)) return { phase: 'Held', message: object.heldBy.join(', ') };
  if (snapshot.hasTag(Tag.Deleting)) return { phase: 'Deleting' };
  if (snapshot.hasTag(Tag.Settled)) return { phase: 'Bound' };
  if (snapshot.hasTag(Tag.Available)) return { phase: 'Bound', message: waiting.join('; ') };
  const missing = awaited(snapshot.context).map(({ kind, name }) => `${kind}/${name}`);
  if (missing.length > 0) return { phase: 'Waiting', message: missing.join(', ') };
  return { phase: snapshot.context.progress === undefined ? 'Working' : 'Printing' };
}

/** Two field managers: where the book is, and how far the print is, which says nothing when none is under way. */
function statusOf(snapshot: Snapshot, object: KubeObject): readonly StatusPart[] {
  const { progress, object: seen } = snapshot.context;
  const isDone = snapshot.hasTag(Tag.Settled);
  const stored = object.status?.['progress'];
  return [
    {
      manager: MANAGERS.progress,
      status: progress === undefined ? {} : { progress: { ...progress } },
      stored: stored === undefined ? {} : { progress: stored },
    },
    // Last: who waits for it finds the rest said.
    said(object, { ...wordFor(snapshot), ...(isDone && { observedGeneration: seen.generation }) }),
  ];
}

function said({ status = {} }: KubeObject, words: JsonObject): StatusPart {
  const { progress: _, ...stored } = status;
  return { manager: MANAGERS.book, status: words, stored };
}

function provide(portsOf: PortsOf, { inDoubtForMs }: BookOptions): typeof bookMachine {
  const effect = effectsOver(portsOf);
  return bookMachine.provide({
    actors: {
      addOwnFinalizer: effect(({ ports }) => ports.addOwnFinalizer()),
      // Idempotent, and still not to come late: a slot that was discarded would be reserved once more (BOOK-MACHINE-2).
      reserve: effect(({ ports }) => ports.callOnce('reserve')),
      look: effect(async ({ ports }) => {
        const at = ports.now(); // it tells of no later time
        return { ...((await ports.call('look')) as Pick<Look, 'state'>), at };
      }),
      print: effect(({ ports, input: { parent }, signal }: EffectRun<PrintInput>) =>
        ports.callLong('print', {
          signal,
          inDoubtForMs,
          onProgress: (progress) => parent.send({ type: 'progressed', progress: progress as unknown as Progress }),
        }),
      ),
      probe: effect(async ({ ports }) => {
        const at = ports.now();
        try {
          await ports.call('look');
          return { found: true, at };
        } catch (error) {
          if ((error as ErrorData).code !== 'absent') throw error;
          return { found: false, at };
        }
      }),
      bind: effect(({ ports }) => ports.call('bind')),
      recycle: effect(async ({ ports }) => {
        await ports.call('recycle');
        // Without the annotation nothing else would tell the next life that it is to be printed.
        if (isBound(ports.object())) await ports.applyStatus(MANAGERS.book, { phase: 'Working' });
        await ports.removeAnnotations([REPRINT]);
      }),
      furnish: effect(({ ports }) => ports.ensureChildren()),
      clear: effect(({ ports }) => ports.removeChildren()),
      discard: effect(({ ports }) => ports.call('discard')),
      endClaims: effect(({ ports }) => ports.endClaims()),
      removeOwnFinalizer: effect(({ ports }) => ports.removeOwnFinalizer()),
    },
    actions: { claim: ({ context: { key, withdrawnUids } }) => portsOf(key).claim(withdrawnUids) },
    delays: {
      backoff: ({ context }: { context: BookContext }) => portsOf(context.key).jitter(backoffMs(context)),
      landing: ({ context }: { context: BookContext }) =>
        Math.max(0, context.inDoubtUntil - portsOf(context.key).now()),
    },
  });
}

/** A slot goes by the uid of its book, so that whoever comes after a crash finds it. */
export function bookOperations({ ask }: Shop): Operations[string] {
  const slotOf = ({ metadata }: KubeObject): string => `/slots/${metadata.uid}`;
  const change =
    (method: string, job = '') =>
    async ({ object, ...request }: OperationRequest): Promise<JsonObject> => {
      await ask({ ...request, method, path: `${slotOf(object)}${job}` });
      return {};
    };
  return {
    async reserve({ object, ...request }: OperationRequest) {
      await ask({ ...request, method: 'PUT', path: slotOf(object), body: { pages: Number(object.spec?.['pages']) } });
      return {};
    },
    async look({ object, ...request }: OperationRequest) {
      const response = await ask({ ...request, method: 'GET', path: slotOf(object) });
      const { state } = (await response.json()) as { state: string };
      return { state };
    },
    /** The answer is a line a sheet, and ends when the last one is printed. */
    async print({ object, progress, ...request }: LongCallRequest) {
      const { body } = await ask({ ...request, method: 'POST', path: `${slotOf(object)}/prints` });
      let text = '';
      for await (const part of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        const lines = (text + part).split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) progress(JSON.parse(line) as JsonObject);
      }
      return {};
    },
    bind: change('POST', '/binding'),
    recycle: change('POST', '/recycling'),
    async discard(request: OperationRequest) {
      try {
        return await change('DELETE')(request);
      } catch (error) {
        if ((error as ErrorData).code !== 'absent') throw error;
        return {};
      }
    },
  };
}
