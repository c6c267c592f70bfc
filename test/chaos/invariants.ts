// Invariants of every run, whatever the model: of logs, mail, events, objects and memory.
//
//   I5. No secret is in a log, in the mail, in an event, or in an object other than its Secret.
//   I6. No process says anything that needs a person, or that is no log line.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryLimitMib } from '../actors/processes.ts';
import { settled } from '../world/speed.ts';
import type { World } from '../world/world.ts';
import type { Model } from './model.ts';
import type { Pod } from './pod.ts';

type Violate = (what: string) => void;

/** Longest wait for the first Event on the reference machine, in milliseconds: pods write them last. */
const EVENTS_WITHIN_MS = 15_000;

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

/** A container of deploy/ would not have been killed. */
export async function judgeMemory(pods: readonly Pod[], violate: Violate): Promise<number> {
  const limitMib = memoryLimitMib();
  const peaks = await Promise.all(pods.map((pod) => pod.peakMib()));
  for (const [index, peakMib] of peaks.entries())
    if (peakMib >= limitMib) violate(`pod '${pods[index]?.name}' held ${peakMib} MiB of ${limitMib}`);
  return Math.round(Math.max(...peaks));
}

interface SecretDeps {
  readonly pods: readonly Pod[];
  readonly world: World;
  readonly secrets: readonly string[];
  readonly violate: Violate;
}

/** No secret in a log or an object (I5). */
export function judgeSecrets({ pods, world, secrets, violate }: SecretDeps): void {
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

/**
 * No secret in what Kubernetes is told of the objects (I5), while that is there.
 *
 * @param deps.tells  `always`: something has to be there, or nothing was judged
 * @returns how many Events there are
 */
export async function judgeEvents({
  world,
  secrets,
  tells,
  violate,
}: Pick<SecretDeps, 'world' | 'secrets' | 'violate'> & { tells: Model['tells'] }): Promise<number> {
  let events: readonly unknown[] = [];
  const missing = await settled(world.clock, EVENTS_WITHIN_MS, async () => {
    const { body } = await world.client.call({ method: 'GET', path: `/api/v1/namespaces/${world.namespace}/events` });
    events = body['items'] as readonly unknown[];
    return events.length === 0 && tells === 'always' ? ['nothing was told in events'] : [];
  });
  for (const each of missing) violate(each);
  const text = JSON.stringify(events);
  for (const secret of secrets) if (text.includes(secret)) violate('I5: a secret is in an event');
  return events.length;
}
