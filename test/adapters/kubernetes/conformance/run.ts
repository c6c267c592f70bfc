// Runs a case against one server and gives what was seen, normalized, one entry a request or watch.
import { systemClock } from '../../../../actors/base/clock.ts';
import { dig, isList, isMap, listOf, mapOf } from '../../../../adapters/text/json.ts';
import { type Answer, type Case, isWatch, type Request, type Step, type Watch } from './case.ts';
import { type Normalizer, normalizer } from './normalize.ts';
import { parsed, type Wire } from './wire.ts';

/** Between two askings of a step with `until`, and the longest that it may take, in milliseconds. */
const POLL_MS = 50;
/** The real garbage collector takes notice of a new kind every 30 s, and may miss one turn. */
const PATIENCE_MS = 90_000;

const clock = systemClock();

/** What a step showed. */
export interface Seen {
  /** `#2`, or `#2.1` for the first request during the watch that is step 2. */
  readonly step: string;
  readonly shown: unknown;
}

interface Scene {
  readonly wire: Wire;
  readonly variables: Map<string, string>;
  readonly normalizer: Normalizer;
  readonly seen: Seen[];
}

export interface Run {
  readonly run: string;
  readonly group: string;
}

/**
 * What a controller puts into every namespace. On the embedded server it is there already; the real API server of the
 * tests runs without the controller, so the cases do its work.
 */
const CERTIFICATE = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'kube-root-ca.crt',
    annotations: {
      'kubernetes.io/description':
        'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
    },
  },
  data: { 'ca.crt': '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n' },
};

/** Runs the steps of a case in a namespace of its own, which is deleted afterwards. */
export async function runCase(wire: Wire, { name, steps }: Case, { run, group }: Run, index: number): Promise<Seen[]> {
  const ns = `c-${run}-${index}`;
  const scene = newScene(wire, { run, group, ns });
  const path = '/api/v1/namespaces';
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } };
  const made = await ask(scene, { method: 'POST', path, body });
  await ask(scene, {
    method: 'POST',
    path: `${path}/${ns}/configmaps?fieldManager=kube-controller-manager`,
    body: CERTIFICATE,
  });
  if (made.status !== 201) throw new Error(`no namespace for '${name}': ${JSON.stringify(made.body)}`);
  try {
    for (const [at, step] of steps.entries()) await take(scene, step, `#${at + 1}`);
  } catch (error) {
    // What one server does not get done, the other one should not either: it is shown, and the case ends.
    const message = error instanceof Error ? error.message : String(error);
    scene.seen.push({ step: `#${scene.seen.length + 1}`, shown: { failed: message } });
  } finally {
    await removeNamespace(scene, `${path}/${ns}`, ns);
  }
  return scene.seen;
}

/** What cases leave behind, apart from cluster-scoped objects. */
const NAMESPACED = [
  '/api/v1/namespaces/{ns}/configmaps',
  '/api/v1/namespaces/{ns}/secrets',
  '/api/v1/namespaces/{ns}/events',
  '/api/v1/namespaces/{ns}/serviceaccounts',
  '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases',
  '/apis/{group}/v1/namespaces/{ns}/things',
  '/apis/{group}/v1/namespaces/{ns}/plains',
];

/** Without the controller of namespaces, which takes seconds for each and would be busy when a case needs it. */
async function removeNamespace(scene: Scene, path: string, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} };
  await ask(scene, { method: 'PUT', path: `${path}/finalize`, body });
  await ask(scene, { method: 'DELETE', path });
  await ask(scene, { method: 'DELETE', path: `${path}-x` });
  await Promise.all(NAMESPACED.map((collection) => ask(scene, { method: 'DELETE', path: collection })));
}

/** Takes the finalizers off what cases left: it would hold its definition for ever. */
export async function release(wire: Wire, { run, group }: Run): Promise<void> {
  const scene = newScene(wire, { run, group });
  for (const plural of ['things', 'gadgets']) {
    const { body } = await ask(scene, { method: 'GET', path: `/apis/{group}/v1/${plural}` });
    for (const { metadata } of listOf(mapOf(body)['items']).map(mapOf)) {
      const { name, namespace, finalizers } = mapOf(metadata);
      if (finalizers === undefined) continue;
      const path = `/apis/{group}/v1/namespaces/${namespace}/${plural}/${name}`;
      const type = 'application/merge-patch+json';
      await ask(scene, { method: 'PATCH', path, type, body: { metadata: { finalizers: null } } });
    }
  }
}

/** Takes steps outside of any case. @throws {Error} one was refused */
export async function prepare(wire: Wire, steps: readonly Request[], { run, group }: Run): Promise<void> {
  const scene = newScene(wire, { run, group });
  for (const step of steps) {
    const { status, body } = await answerOf(scene, step);
    if (status >= 400) throw new Error(`${step.method} ${step.path}: ${JSON.stringify(body)}`);
  }
}

function newScene(wire: Wire, given: Readonly<Record<string, string>>): Scene {
  const names = Object.entries(given).map(([name, value]) => [value, `{${name}}`] as const);
  // The longest first: the namespace and the group contain the run.
  names.sort(([left], [right]) => right.length - left.length);
  return { wire, variables: new Map(Object.entries(given)), normalizer: normalizer(new Map(names)), seen: [] };
}

async function take(scene: Scene, step: Step, label: string): Promise<void> {
  if (isWatch(step)) return follow(scene, step, label);
  const answer = await answerOf(scene, step);
  const picked = step.pick === undefined ? answer : step.pick(answer);
  scene.seen.push({ step: label, shown: scene.normalizer.normalize(picked) });
}

async function answerOf(scene: Scene, step: Request): Promise<Answer> {
  const startedAt = clock.now();
  let answer = await ask(scene, step);
  while (step.until !== undefined && !step.until(answer)) {
    if (clock.now() - startedAt > PATIENCE_MS) {
      throw new Error(`${step.method} ${step.path} never became as awaited; last: ${JSON.stringify(answer)}`);
    }
    await clock.sleep(POLL_MS);
    answer = await ask(scene, step);
  }
  for (const [name, path] of Object.entries(step.save ?? {})) {
    const value = at(answer.body, path);
    scene.variables.set(name, typeof value === 'string' ? value : `<nothing at ${path}>`);
  }
  return answer;
}

function ask(scene: Scene, { method, path, body, raw, type, accept, headers = {} }: Request): Promise<Answer> {
  const filled = (text: string): string => fill(text, scene.variables);
  const sent =
    raw !== undefined
      ? typeof raw === 'string'
        ? filled(raw)
        : raw
      : body === undefined
        ? undefined
        : JSON.stringify(fillAll(body, scene.variables));
  const fields = Object.entries(headers).map(([name, value]) => [name, filled(value)] as const);
  const generateName = dig(body, 'metadata', 'generateName');
  if (typeof generateName === 'string') scene.normalizer.expectGenerated(generateName);
  const contentType = type ?? (sent === undefined ? '' : 'application/json');
  return scene.wire.send({
    method,
    path: filled(path),
    body: sent,
    headers: {
      ...(contentType === '' ? {} : { 'content-type': contentType }),
      ...(accept === undefined ? {} : { accept }),
      ...Object.fromEntries(fields),
    },
  });
}

async function follow(scene: Scene, { watch, accept, meanwhile = [], events }: Watch, label: string): Promise<void> {
  const followed = await scene.wire.follow(fill(watch, scene.variables), accept);
  const seen: unknown[] = [];
  try {
    for (const [at, step] of meanwhile.entries()) await take(scene, step, `${label}.${at + 1}`);
    const isRefused = followed.head.status >= 400;
    const refusal: string[] = [];
    while (isRefused || events === 'all' || seen.length < events) {
      const line = await followed.next();
      if (line === undefined) break;
      if (isRefused) refusal.push(line);
      else seen.push(scene.normalizer.normalize(parsed(line)));
    }
    if (isRefused) seen.push(scene.normalizer.normalize(parsed(refusal.join('\n'))));
  } finally {
    followed.stop();
  }
  scene.seen.push({ step: label, shown: { ...followed.head, body: seen } });
}

function fill(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\{(\w+)(?:\+(\d+))?\}/g, (whole, name: string, more: string | undefined) => {
    const value = variables.get(name);
    if (value === undefined) return whole;
    return more === undefined ? value : String(BigInt(value) + BigInt(more));
  });
}

function fillAll(value: unknown, variables: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return fill(value, variables);
  if (isList(value)) return value.map((item) => fillAll(item, variables));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [fill(key, variables), fillAll(item, variables)]),
  );
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((found, key) => (isList(found) ? found[Number(key)] : dig(found, key)), value);
}
