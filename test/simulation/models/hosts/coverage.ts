// Which transitions of the machine of hosts histories take, and by what they are called.
import type { AnyStateMachine } from 'xstate';
import type { Place } from '../../model.ts';

/** Leaves to which any operation leads that is not done, by lists that all have in common (`shared-states.ts`). */
const ANSWERED: ReadonlySet<string> = new Set(['awaiting', 'requeued', 'backingOff', 'retrying', 'refused']);
const OPERATION = /^(done|error) of (?!watch$)/;

/**
 * The parts of the chart have leaves in common, each with the same transitions, and their operations the same answers: what is
 * written once is counted once.
 */
export function tellsOfHosts({ root }: AnyStateMachine): (place: Place) => string {
  const parts = Object.values(root.states['lifecycle']?.states ?? {});
  const leaves = parts.flatMap(({ states }) => Object.keys(states));
  const common = new Set(leaves.filter((leaf, index) => leaves.indexOf(leaf) !== index));
  const called = (path: readonly string[]): string => {
    const [, part, leaf = ''] = path;
    // What is done before anything is asked of Ironic has leaves of its own by the same names.
    return path.length === 3 && part !== 'admitting' && common.has(leaf) ? `each.${leaf}` : path.join('.');
  };
  return ({ from, to, cause }) => {
    const [, part] = from;
    const [answer = ''] = to.map((path) => path[2] ?? '');
    if (part !== 'admitting' && OPERATION.test(cause) && ANSWERED.has(answer))
      return `an operation -> each.${answer} on ${cause.replace(/ of .*/, '')}`;
    return `${called(from) || 'root'} -> ${to.map(called).join(', ') || 'stays'} on ${cause}`;
  };
}

/** As `unreachable` of `Coverage`: what no history of hosts can take; tests of the machine do. */
export const HOSTS_UNREACHABLE: readonly string[] = [
  // Nobody moves hosts that live here, nor writes their status.
  'bareMetalHost: each.deciding -> lifecycle.admitting on always if brings',
  'bareMetalHost: each.deciding -> lifecycle.routing on always if isElsewhere',
  'bareMetalHost: lifecycle.admitting.restoring -> lifecycle.admitting.retrying on done of restore if brings',
  // All hosts have a BMC.
  'bareMetalHost: lifecycle.new -> lifecycle.unmanaged on always if goes',
  'bareMetalHost: lifecycle.routing -> lifecycle.unmanaged on always if isIn',
  'bareMetalHost: lifecycle.unmanaged -> lifecycle.deleting on always if deletesTo',
  'bareMetalHost: lifecycle.unmanaged -> lifecycle.registering on always if goes',
  'bareMetalHost: lifecycle.unmanaged -> lifecycle.paused on object.changed if becomesPaused',
  'bareMetalHost: lifecycle.unmanaged -> lifecycle.routing on object.changed if isEdited',
  'bareMetalHost: lifecycle.unmanaged -> stays on object.changed',
  // No older operator was here, and none that knows more.
  'bareMetalHost: lifecycle.routing -> lifecycle.matchingProfile on always if isIn',
  'bareMetalHost: lifecycle.matchingProfile -> lifecycle.deleting on always if deletesTo',
  'bareMetalHost: lifecycle.matchingProfile -> lifecycle.poweringOff on always if deletesTo',
  'bareMetalHost: lifecycle.matchingProfile -> lifecycle.preparing on always if goes',
  'bareMetalHost: lifecycle.routing -> lifecycle.unknown on always',
  'bareMetalHost: lifecycle.unknown -> lifecycle.deleting on always if deletesTo',
  'bareMetalHost: lifecycle.unknown -> lifecycle.poweringOff on always if deletesTo',
  'bareMetalHost: lifecycle.unknown -> lifecycle.paused on object.changed if becomesPaused',
  'bareMetalHost: lifecycle.unknown -> lifecycle.routing on object.changed if isEdited',
  'bareMetalHost: lifecycle.unknown -> stays on object.changed',
  // An image is tried for as long as it fails.
  'bareMetalHost: each.judging -> lifecycle.available.exhausted on always if isLimitReached',
  'bareMetalHost: lifecycle.available.exhausted -> lifecycle.paused on object.changed if becomesPaused',
  'bareMetalHost: lifecycle.available.exhausted -> each.deciding on object.changed if isEdited',
  'bareMetalHost: lifecycle.available.exhausted -> stays on object.changed',
  // What others provision stays theirs, and nothing fails for good here but a registration, of which the status tells.
  'bareMetalHost: each.judging -> lifecycle.provisioned on always if goes',
  'bareMetalHost: an operation -> each.refused on error if isTerminal',
  // No history rests for ten minutes.
  'bareMetalHost: lifecycle.detaching.detached -> each.removing on after detachedPause',
  // A host without finalizers is gone at once, and the chart is stopped; what was stored is told to it before its effect ends (PORTS-2).
  'bareMetalHost: lifecycle.admitting.deciding -> lifecycle.deleted on always if isGone',
  'bareMetalHost: each.deciding -> lifecycle.deleted on always if isGone',
  'bareMetalHost: lifecycle.deleting.removingFinalizer -> lifecycle.deleted on done of removeOwnFinalizer',
  'bareMetalHost: lifecycle.admitting.guarding -> lifecycle.admitting.retrying on done of addOwnFinalizer if (isOwned)',
  // Mail is only refused to an actor whose shard left, and whose chart is stopped by then.
  'bareMetalHost: lifecycle.deleting.endingClaims -> lifecycle.deleting.retryingRelease on error of endClaims',
];

/** As `rare` of `Coverage`. */
export const HOSTS_RARE: readonly string[] = [
  // An API server that is away just when a finalizer is stored or taken off, and what happens to the host before it is tried again.
  'bareMetalHost: lifecycle.admitting.guarding -> lifecycle.admitting.retrying on error of addOwnFinalizer',
  'bareMetalHost: lifecycle.admitting.retrying -> lifecycle.admitting.deciding on after retryPause',
  'bareMetalHost: lifecycle.admitting.retrying -> lifecycle.admitting.deciding on object.changed if isEdited',
  'bareMetalHost: lifecycle.admitting.retrying -> lifecycle.paused on object.changed if becomesPaused',
  'bareMetalHost: lifecycle.admitting.retrying -> stays on object.changed',
  'bareMetalHost: lifecycle.deleting.removingFinalizer -> lifecycle.deleting.retryingRelease on error of removeOwnFinalizer',
  'bareMetalHost: lifecycle.deleting.retryingRelease -> lifecycle.deleting.endingClaims on after retryPause',
  // An Ironic that is away just when it is asked for room, and what happens to the host before it is asked again.
  'bareMetalHost: each.queueing -> each.queueingAgain on error of capacity',
  'bareMetalHost: each.queueingAgain -> each.queueing on after retryPause',
  'bareMetalHost: each.queueingAgain -> lifecycle.paused on object.changed if becomesPaused',
  'bareMetalHost: each.queueingAgain -> lifecycle.routing on object.changed if isEdited',
  'bareMetalHost: each.queueingAgain -> stays on object.changed',
  // A wish that is taken back in the moment in which there is asked for room, or in which what was wished is done.
  'bareMetalHost: each.queueing -> lifecycle.routing on done of capacity if isPlanOver',
  'bareMetalHost: lifecycle.provisioning.deploying -> each.deciding on done of provision if was',
  // Ironic loses the node between its registration and an operation, or while it is looked on, or has it where nobody expects it.
  'bareMetalHost: an operation -> each.retrying on done if was',
  'bareMetalHost: an operation -> each.retrying on done',
  'bareMetalHost: each.awaiting -> each.retrying on error of watch',
  'bareMetalHost: each.idle -> each.retrying on error of watch',
  // A user pauses a host, or edits it, just while it waits for something else than its node, or for another attempt.
  'bareMetalHost: each.requeued -> lifecycle.paused on object.changed if becomesPaused',
  'bareMetalHost: each.requeued -> each.deciding on object.changed if isEdited',
  'bareMetalHost: each.backingOff -> lifecycle.paused on object.changed if becomesPaused',
  'bareMetalHost: each.retrying -> lifecycle.paused on object.changed if becomesPaused',
  'bareMetalHost: each.delayed -> lifecycle.paused on object.changed if becomesPaused',
  'bareMetalHost: lifecycle.detaching.detached -> lifecycle.paused on object.changed if becomesPaused',
  // Who is refused rests, and is put away at once: whatever changes then wakes another life.
  'bareMetalHost: each.refused -> lifecycle.paused on object.changed if becomesPaused',
  'bareMetalHost: each.refused -> each.deciding on object.changed if isEdited',
  'bareMetalHost: each.refused -> each.deciding on dependencies.changed if isNewCredentials',
  'bareMetalHost: each.refused -> stays on dependencies.changed',
  // A change of the host in the milliseconds in which an operation is under way that fails.
  'bareMetalHost: each.backingOff -> each.deciding on always if isChanged',
  // A deletion before anything was begun, in a moment in which others hold the host, or that is given up since too much fails.
  'bareMetalHost: lifecycle.new -> lifecycle.deleting on always if deletesTo',
  'bareMetalHost: each.deciding -> lifecycle.deleting.held on always if isHeld',
  'bareMetalHost: lifecycle.deleting.held -> each.deciding on always if (isHeld)',
  'bareMetalHost: each.backingOff -> lifecycle.deleting on always if deletesTo',
  'bareMetalHost: each.backingOff -> lifecycle.deleting on always if goes',
  'bareMetalHost: each.backingOff -> lifecycle.poweringOff on always if goes',
  'bareMetalHost: lifecycle.deprovisioning.undeploying -> lifecycle.deleting on done of deprovision if wentOn',
  'bareMetalHost: lifecycle.poweringOff.switchingOff -> lifecycle.deleting on done of powerOff if wentOn',
  // What is asked for is taken back while a host is detached, after its image failed, or while it waited for room.
  'bareMetalHost: each.deciding -> lifecycle.routing on always if isDetachmentOver',
  'bareMetalHost: each.judging -> each.deciding on always if mustForgetAttempts',
  'bareMetalHost: each.judgingPower -> each.deciding on always if (isSaved)',
];
