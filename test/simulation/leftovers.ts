// What must not be left when users have deleted everything.
import type { MemoryBroker } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { Cluster } from './cluster.ts';
import { MADE_PLURALS, PLURALS } from './kinds.ts';
import type { Watchman } from './watchman.ts';

export interface Leftover {
  readonly text: string;
  /** Mail, which comes and goes unseen. */
  readonly isMail: boolean;
}

interface Scene {
  readonly cluster: Cluster;
  readonly watchman: Watchman;
  readonly broker: MemoryBroker;
  /** Whether a process stood still, maybe with mail on its way. */
  readonly hasStoodStill: boolean;
}

/** Neither at the API server, nor in the cloud, nor in the mail; undefined when there is nothing. */
export function leftover({ cluster, watchman, broker, hasStoodStill }: Scene): Leftover | undefined {
  const left = [...PLURALS, ...MADE_PLURALS, 'secrets'].flatMap((plural) => cluster.objects(plural))[0];
  if (left !== undefined)
    return { text: `${left.kind} '${left.metadata.name}' is still there: ${finalizersOf(left)}`, isMail: false };
  const { detached, excused } = watchman;
  const [made] = [...watchman.made.values()].filter(({ id, uid }) => !detached.has(id) && !excused.has(uid));
  if (made !== undefined) return { text: `${made.kind} ${made.id} is still in the cloud`, isMail: false };
  const mail = broker.snapshot().values.find(
    ({ payload, subject }) =>
      // A claim that was on its way meanwhile, and came when its end had been read and deleted, holds nothing.
      !(subject.topic === 'claim' && hasStoodStill) &&
      !excused.has(String(payload['uid'])) &&
      // A shard has a list of what is under way for good. What may have been done by now is taken off it.
      !(subject.topic === 'underway' && Object.keys(payload['landsBy'] ?? {}).length === 0),
  );
  return mail && { text: `mail is left: ${mail.key} ${JSON.stringify(mail.payload)}`, isMail: true };
}

export function finalizersOf({ metadata }: KubeObject): string {
  return (metadata.finalizers ?? []).join(', ') || 'no finalizers';
}
