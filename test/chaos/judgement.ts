// What a run must not have shown, whoever did what: in logs, in conditions, in mail, in memory.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { referencesOf, type SampleObject } from '../actors/landscape.ts';
import { memoryLimitMib } from '../actors/processes.ts';
import { condition, type Raw } from '../world/watched-objects.ts';
import type { World } from '../world/world.ts';
import type { Pod } from './pod.ts';
import { MARK } from './tenant.ts';

type Violate = (what: string) => void;

/** Whatever needs a person, or is no log line at all, is a defect (I6). */
export function judgeLogs(pods: readonly Pod[], violate: Violate): void {
  for (const { name, lives } of pods) {
    for (const [index, { lines, said }] of lives.entries()) {
      const who = `${name}#${index + 1}`;
      for (const line of said) violate(`${who} says: ${line}`);
      for (const line of lines)
        if (Number(line['level']) >= 50) violate(`${who} logs an error: ${JSON.stringify(line)}`);
    }
  }
}

/** Nothing was wrong with any spec, so nothing may ever be told so, but of what lost something that nobody keeps. */
export function judgeConditions(world: World, objects: readonly SampleObject[], violate: Violate): void {
  for (const sample of objects) {
    const { kind, name } = sample;
    for (const object of world.follower.history(kind, name)) {
      const { reason, message } = condition(object, 'Progressing');
      if (reason !== 'InvalidConfiguration' && reason !== 'UnrecoverableError') continue;
      if (isForsaken(world, sample, object)) continue;
      violate(`${kind}/${name} was given up: ${reason}: ${message}`);
      break;
    }
  }
}

/**
 * Whether something that the object refers to, and that no finalizer keeps (a flavor, a key pair, the image of a volume), was
 * deleted since the object is there: what is being made of it is refused then, and rightly given up.
 */
function isForsaken(world: World, sample: SampleObject, object: Raw): boolean {
  const history = (kind: string, name: string): readonly Raw[] => world.follower.history(kind, name);
  const born = history(sample.kind, sample.name).find(({ metadata }) => metadata.uid === object.metadata.uid);
  const [from, until] = [born, object].map((each) => BigInt(each?.metadata.resourceVersion ?? 0));
  return referencesOf(sample)
    .filter(({ finalizers, neededFor }) => finalizers.length === 0 && neededFor !== 'never')
    .some(({ kind, name }) =>
      history(kind, name).some(({ metadata }) => {
        const at = BigInt(metadata.resourceVersion);
        return metadata.deletionTimestamp !== undefined && at >= (from ?? 0n) && at <= (until ?? 0n);
      }),
    );
}

/** Nothing of a neighbour shows in what belongs to others. */
export function judgeNeighbour(world: World, namespace: string | undefined, violate: Violate): void {
  for (const key of world.follower.everSeen()) {
    const [kind = '', name = ''] = key.split('/');
    const text = JSON.stringify(world.follower.history(kind, name));
    for (const mark of [MARK, ...(namespace === undefined ? [] : [namespace])])
      if (text.includes(mark)) violate(`'${mark}' is told of in ${key}`);
  }
}

/** A container of deploy/ would not have been killed. */
export async function judgeMemory(pods: readonly Pod[], violate: Violate): Promise<number> {
  const limitMib = await memoryLimitMib();
  const peaks = await Promise.all(pods.map((pod) => pod.peakMib()));
  for (const [index, peakMib] of peaks.entries())
    if (peakMib >= limitMib) violate(`pod '${pods[index]?.name}' held ${peakMib} MiB of ${limitMib}`);
  return Math.round(Math.max(...peaks));
}

/** No secret in a log, an event or a status (I5). */
export function judgeSecrets(deps: {
  pods: readonly Pod[];
  world: World;
  secrets: readonly string[];
  violate: Violate;
}): void {
  const { pods, world, secrets, violate } = deps;
  const places = pods.flatMap(({ name, lives }) =>
    lives.map(({ lines, said }): [string, string] => [`the log of ${name}`, JSON.stringify([lines, said])]),
  );
  const keys = new Set(world.follower.everSeen().filter((key) => !key.startsWith('Secret/')));
  for (const key of keys) {
    const [kind = '', name = ''] = key.split('/');
    places.push([key, JSON.stringify(world.follower.history(kind, name))]);
  }
  for (const [place, text] of places) {
    for (const secret of secrets) if (text.includes(secret)) violate(`I5: a secret is in ${place}`);
  }
}

/** No secret on the bus (I5): what lies in the files of NATS, while the objects are there. */
export async function judgeMail(natsData: string, secrets: readonly string[], violate: Violate): Promise<void> {
  let read = 0;
  for (const file of await readdir(natsData, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const text = await readFile(join(file.parentPath, file.name), 'latin1');
    read += text.split('"resourceVersion"').length - 1;
    for (const secret of secrets) if (text.includes(secret)) violate(`I5: a secret is in the mail (${file.name})`);
  }
  if (read === 0) violate('the mail cannot be read as it is stored');
}

/** No secret in what Kubernetes is told of the objects (I5), while that is there. */
export async function judgeEvents(world: World, secrets: readonly string[], violate: Violate): Promise<void> {
  const { body } = await world.client.call({ method: 'GET', path: `/api/v1/namespaces/${world.namespace}/events` });
  const events = body['items'] as readonly unknown[];
  if (events.length === 0) violate('nothing was told in events');
  const text = JSON.stringify(events);
  for (const secret of secrets) if (text.includes(secret)) violate('I5: a secret is in an event');
}
