// What must not be left when users have deleted everything.
import type { MemoryBroker } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { Cluster } from './cluster.ts';
import { MADE_PLURALS, PLURALS } from './kinds.ts';
import type { Plan } from './plan.ts';
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
  readonly plan: Plan;
  /** Whether anything went wrong. */
  readonly isTroubled: boolean;
  /** Whether a process stood still, maybe with mail on its way. */
  readonly hasStoodStill: boolean;
}

/** Neither at the API server, nor in the cloud, nor in the mail; undefined when there is nothing. */
export function leftover(scene: Scene): Leftover | undefined {
  const { cluster, watchman, broker } = scene;
  const left = [...PLURALS, ...MADE_PLURALS, 'secrets'].flatMap((plural) => cluster.objects(plural))[0];
  if (left !== undefined)
    return { text: `${left.kind} '${left.metadata.name}' is still there: ${finalizersOf(left)}`, isMail: false };
  const { detached, excused } = watchman;
  const [made] = [...watchman.made.values()].filter(({ id, uid }) => !detached.has(id) && !excused.has(uid));
  if (made !== undefined) return { text: `${made.kind} ${made.id} is still in the cloud`, isMail: false };
  const mail = broker.snapshot().values.find(
    ({ key, payload, subject }) =>
      !isOrphanClaim(key, scene) &&
      !excused.has(String(payload['uid'])) &&
      // A shard has a list of what is under way for good. What may have been done by now is taken off it.
      !(subject.topic === 'underway' && Object.keys(payload['landsBy'] ?? {}).length === 0),
  );
  return mail && { text: `mail is left: ${mail.key} ${JSON.stringify(mail.payload)}`, isMail: true };
}

/**
 * A claim that nobody ends: on what was never there, by an object whose reference to it was taken off while it had no host;
 * or for a cleanup, by one whose host died as soon as it was gone; or by one without a finalizer of its own, which goes
 * while nobody hosts it; or that an earlier host had on its way when it stood still, and that arrives when the next one's end
 * of it has been read and deleted. It holds nothing, and the audit of a guard ends it should there ever be an object of that
 * name.
 */
function isOrphanClaim(key: string, { plan, isTroubled, hasStoodStill }: Scene): boolean {
  if (hasStoodStill && key.includes('.claim.')) return true;
  // The sequel of a book is a reference that users take off, too. What shows the firmware of a host makes nothing, and holds nobody up.
  const mayBeOrphaned =
    /\.secrets\..*\.claim\.|\.claim\.openstack\.routerinterfaces\.|\.books\..*\.claim\.press\.books\.|\.claim\.metal3\.hostfirmware/;
  if (mayBeOrphaned.test(key)) return isTroubled;
  return plan.steps.some(
    ({ what, ...step }) =>
      what === 'create' &&
      'object' in step &&
      key.endsWith(`.claim.openstack.ports.${step.object.namespace}.${step.object.name}`) &&
      key.includes('.openstack.securitygroups.'),
  );
}

export function finalizersOf({ metadata }: KubeObject): string {
  return (metadata.finalizers ?? []).join(', ') || 'no finalizers';
}
