// The measurements of the demo, in figures and in lines. Pure.
import type { CloudCall, History } from './history.ts';
import type { LandscapeObject } from './landscape.ts';

/** A stretch of the demo: some objects, and when they were applied. */
export interface Stretch {
  readonly history: History;
  readonly objects: readonly LandscapeObject[];
  readonly beganAt: number;
}

/** One object of a chain, and how long it took from when the one before it was ready. */
export interface Link {
  readonly key: string;
  readonly durationMs: number;
}

/** Number of references whose order was kept, and those whose was not. */
export interface Order {
  readonly kept: number;
  /** `network/a before subnet/b`. */
  readonly broken: readonly string[];
}

/** When the last of the objects was ready; undefined when one never was. */
export function allReadyAt({ history, objects }: Stretch): number | undefined {
  const times = objects.map(({ key }) => history.readyAt(key));
  return times.every((at) => at !== undefined) ? Math.max(...times) : undefined;
}

/** When everything that the object refers to was ready. */
function mayBeginAt({ history, beganAt }: Stretch, object: LandscapeObject): number {
  return Math.max(beganAt, ...neededFirst(object).map((reference) => history.readyAt(reference) ?? beganAt));
}

/** Dependencies without which the object cannot be made. */
function neededFirst({ references, later = [] }: LandscapeObject): readonly string[] {
  return references.filter((reference) => !later.includes(reference));
}

/** The chain of references that took longest: from the object that was ready last to what it waited for last, and so on. */
export function longestChain(stretch: Stretch): readonly Link[] {
  const { history, objects, beganAt } = stretch;
  const readyAt = (key: string): number => history.readyAt(key) ?? 0;
  const last = (keys: readonly string[]): string | undefined =>
    [...keys].sort((one, other) => readyAt(other) - readyAt(one))[0];
  const chain: Link[] = [];
  let key = last(objects.map((object) => object.key));
  while (key !== undefined) {
    const before = last((history.objects.get(key)?.references ?? []).filter((other) => readyAt(other) > beganAt));
    chain.unshift({ key, durationMs: readyAt(key) - (before === undefined ? beganAt : readyAt(before)) });
    key = before;
  }
  return chain;
}

/** Whether each object's creation was asked for only after all that it refers to was ready. */
export function creationOrder({ history, objects }: Stretch): Order {
  return orderOf(
    objects.flatMap((object) => {
      const { key } = object;
      const asked = history.calls.find((call) => isCreation(call) && call.key === key)?.beganAt;
      return asked === undefined
        ? []
        : neededFirst(object).map((reference) => [reference, key, history.usableAt(reference), asked]);
    }),
  );
}

/** Whether each deletion was asked for only after the deletion of all that is guarded by it had been answered. */
export function deletionOrder({ history, objects, beganAt: from }: Stretch): Order {
  const deletions = new Map<string, { began: number; ended: number }>();
  for (const { key, method, beganAt, endedAt } of history.calls) {
    // Before that, parts of an object may be deleted: rules that the manifests do not specify.
    if (method !== 'DELETE' || beganAt < from) continue;
    deletions.set(key, { began: deletions.get(key)?.began ?? beganAt, ended: endedAt });
  }
  return orderOf(
    objects.flatMap(({ key, guarded }) =>
      guarded.flatMap((guard) => {
        const [own, its] = [deletions.get(key), deletions.get(guard)];
        return own === undefined || its === undefined ? [] : [[key, guard, own.ended, its.began] as const];
      }),
    ),
  );
}

type Pair = readonly [first: string, second: string, firstAt: number | undefined, secondAt: number];

function orderOf(pairs: readonly (readonly [string, string, number | undefined, number] | Pair)[]): Order {
  const broken = pairs.filter(([, , firstAt, secondAt]) => firstAt === undefined || firstAt > secondAt);
  return { kept: pairs.length - broken.length, broken: broken.map(([first, second]) => `${first} before ${second}`) };
}

/** Most calls to the cloud that were under way at the same time. */
export function mostInFlight({ history }: Stretch): number {
  const steps = history.calls.flatMap(({ beganAt, endedAt }) => [
    { at: beganAt, step: 1 },
    { at: endedAt, step: -1 },
  ]);
  let [now, most] = [0, 0];
  for (const { step } of steps.sort((one, other) => one.at - other.at || one.step - other.step)) {
    now += step;
    most = Math.max(most, now);
  }
  return most;
}

/** Sum of the times that the objects took, each from when it could begin. */
export function workMs(stretch: Stretch): number {
  return stretch.objects.reduce((sum, object) => {
    const readyAt = stretch.history.readyAt(object.key);
    return readyAt === undefined ? sum : sum + readyAt - mayBeginAt(stretch, object);
  }, 0);
}

/** Time until objects continued once their last dependency was ready, each list ascending. */
export interface Reactions {
  /** Time until the actor decided, in milliseconds. */
  readonly decidedMs: readonly number[];
  /** Time until its next request to the cloud was sent, in milliseconds: earlier requests of others take precedence. */
  readonly askedMs: readonly number[];
}

export function reactions(stretch: Stretch): Reactions {
  const { history, objects, beganAt } = stretch;
  const decidedMs: number[] = [];
  const askedMs: number[] = [];
  for (const object of objects) {
    const readyAt = mayBeginAt(stretch, object);
    if (readyAt === beganAt) continue;
    const wentOnAt = history.wentOnAt(object.key);
    // An object that had looked before was not waiting for it.
    if (wentOnAt !== undefined && wentOnAt >= readyAt) decidedMs.push(wentOnAt - readyAt);
    const begins = history.calls.filter(({ key, beganAt: at }) => key === object.key && at >= readyAt);
    if (begins.length > 0) askedMs.push(Math.min(...begins.map(({ beganAt: at }) => at)) - readyAt);
  }
  const ascending = (one: number, other: number): number => one - other;
  return { decidedMs: decidedMs.sort(ascending), askedMs: askedMs.sort(ascending) };
}

/** A request that makes something; the one for a token makes nothing that stays. */
function isCreation({ method, path }: CloudCall): boolean {
  if (method === 'PUT') return /\/roles\/|\/add_router_interface$/.test(path);
  return method === 'POST' && !path.startsWith('/auth/');
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

/** Lines about the creation of the objects. */
export function creationLines(stretch: Stretch): readonly string[] {
  const { history, beganAt } = stretch;
  const readyAt = allReadyAt(stretch);
  if (readyAt === undefined) return [];
  const chain = longestChain(stretch);
  const order = creationOrder(stretch);
  const { decidedMs, askedMs } = reactions(stretch);
  const work = workMs(stretch);
  return [
    `all available after ${seconds(readyAt - beganAt)}:`,
    ...spanLines(stretch, (key) => history.readyAt(key)),
    `longest chain: ${chain.map(({ key, durationMs }) => `${key} ${seconds(durationMs)}`).join(' -> ')}`,
    `order: ${order.kept} of ${order.kept + order.broken.length} references were ready before what needs them was asked for`,
    `parallelism: up to ${mostInFlight(stretch)} calls to the cloud in flight; ${seconds(work)} of objects' time in ${seconds(readyAt - beganAt)}, ${(work / (readyAt - beganAt)).toFixed(1)} at a time`,
    ...(askedMs.length === 0
      ? []
      : [
          `reaction: an actor continued ${medianOf(decidedMs)} after its last dependency was ready,`,
          `  and its next request to the cloud went out after ${medianOf(askedMs)}`,
        ]),
  ];
}

/** Lines about the deletion of the objects. */
export function deletionLines(stretch: Stretch): readonly string[] {
  const { kept, broken } = deletionOrder(stretch);
  return [
    'gone:',
    ...spanLines(stretch, (key) => stretch.history.goneAt(key)),
    `order: ${kept} of ${kept + broken.length} dependents were deleted from the cloud before the deletion of what they need began`,
  ];
}

/** Width of one of two columns, so that both fit a terminal of 80. */
const COLUMN = 39;

/** When the objects of each kind got there, two kinds a line, read down: those whose last was last are at the end. */
function spanLines({ objects, beganAt }: Stretch, reachedAt: (key: string) => number | undefined): readonly string[] {
  const byKind = new Map<string, number[]>();
  for (const { key, kind } of objects) {
    const at = reachedAt(key);
    if (at !== undefined && at >= beganAt) byKind.set(kind, [...(byKind.get(kind) ?? []), at - beganAt]);
  }
  const cells = [...byKind]
    .sort(([, one], [, other]) => Math.max(...one) - Math.max(...other))
    .map(([kind, times]) => `${String(times.length).padStart(4)} ${kind.padEnd(21)} ${span(times)}`);
  const height = Math.ceil(cells.length / 2);
  return Array.from({ length: height }, (_, row) =>
    `${(cells[row] ?? '').padEnd(COLUMN)}${cells[row + height] ?? ''}`.trimEnd(),
  );
}

/** Calls by service and method, as lines of a table. @param calls  as `Simulator.calls` */
export function callLines(calls: Readonly<Record<string, number>>): readonly string[] {
  const counts = new Map<string, Record<string, number>>();
  let sum = 0;
  for (const [name, count] of Object.entries(calls)) {
    const [service = '', method = ''] = name.split(' ');
    const row = counts.get(service) ?? {};
    counts.set(service, { ...row, [method]: (row[method] ?? 0) + count });
    sum += count;
  }
  const line = (name: string, cells: readonly (string | number)[]): string =>
    `  ${name.padEnd(20)}${cells.map((cell) => String(cell).padStart(8)).join('')}`.trimEnd();
  return [
    line(`requests: ${sum}`, METHODS).slice(2),
    ...[...counts].sort().map(([service, row]) =>
      line(
        service,
        METHODS.map((method) => row[method] ?? ''),
      ),
    ),
  ];
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function span(times: readonly number[]): string {
  const [first, last] = [Math.min(...times), Math.max(...times)];
  return times.length === 1 ? seconds(last) : `${(first / 1_000).toFixed(2)}-${seconds(last)}`;
}

function medianOf(sorted: readonly number[]): string {
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return `${middle.toFixed(1)} ms (median of ${sorted.length}, slowest ${(sorted.at(-1) ?? 0).toFixed(1)} ms)`;
}
