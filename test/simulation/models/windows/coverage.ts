// Which transitions of the machine that looks after Windows storage histories do not take.

/** As `unreachable` of `Coverage`: what no history of Windows storage can take. Tests of the machine have each. */
export const WINDOWS_UNREACHABLE: readonly string[] = [
  // Each life begins with a look, and whoever rests has made one.
  'upkeep: starting -> keeping.resting on life.began if (isSettled isOwned)',
  'upkeep: keeping.resting -> keeping.awaiting on dependencies.changed if isUnlooked',
  'upkeep: keeping.available -> keeping.awaiting on dependencies.changed if isUnlooked',
  'upkeep: keeping.lacking -> keeping.awaiting on dependencies.changed if isUnlooked',
  'upkeep: leaving.resting -> leaving.awaiting on dependencies.changed if isUnlooked',
  'upkeep: leaving.used -> leaving.awaiting on dependencies.changed if isUnlooked',
  // Nothing of Windows waits for its time but by a look that is due.
  'upkeep: keeping.tending -> keeping.pausing on done of tend if is',
  'upkeep: keeping.pausing -> leaving on always if isDeleting',
  'upkeep: keeping.pausing -> keeping.awaiting on always if isStale',
  'upkeep: keeping.pausing -> keeping.awaiting on after pause',
  'upkeep: leaving.tending -> leaving.pausing on done of tendAtEnd if is',
  'upkeep: leaving.pausing -> leaving.awaiting on always if isStale',
  'upkeep: leaving.pausing -> leaving.awaiting on after pause',
  // What can rest otherwise than lacking something, or is refused, was guarded before.
  'upkeep: keeping.resting -> withdrawing on always if (isDeleting (mayHaveMade))',
  'upkeep: keeping.available -> withdrawing on always if (isDeleting (mayHaveMade))',
  'upkeep: keeping.pausing -> withdrawing on always if (isDeleting (mayHaveMade))',
  'upkeep: keeping.refused -> withdrawing on always if (isDeleting (mayHaveMade))',
  // Whoever lacks something hears when it is there, and whoever is deleted and used hears when that is over.
  'upkeep: keeping.lacking -> keeping.awaiting on after look',
  'upkeep: leaving.used -> leaving.awaiting on after look',
  // Whoever is deleted and rests is used by others.
  'upkeep: leaving.tending -> leaving.resting on done of tendAtEnd',
  'upkeep: leaving.resting -> leaving.awaiting on after look',
  'upkeep: leaving.resting -> leaving.awaiting on always if isStale',
  'upkeep: leaving.resting -> stays on dependencies.changed',
  'upkeep: leaving.resting -> leaving.awaiting on relations.changed',
  // An object without finalizers is gone at once, and its chart stopped: what was stored is told to it before its effect ends (E2).
  'upkeep: releasing -> gone on done of releaseSelf',
  // Mail is only refused to an actor whose shard left, and whose chart is stopped by then.
  'upkeep: unclaiming -> unclaimingAgain on error of unclaim',
  'upkeep: withdrawing -> withdrawingAgain on error of withdraw',
  'upkeep: withdrawingAgain -> withdrawing on after backoff',
];

/** As `rare` of `Coverage`. */
export const WINDOWS_RARE: readonly string[] = [
  // A deletion before the finalizer is stored, of an object that others hold, or in the milliseconds in which that is under way.
  'upkeep: starting -> withdrawing on life.began if (isDeleting (mayHaveMade))',
  'upkeep: guarding -> withdrawing on always if (isDeleting (mayHaveMade))',
  'upkeep: guarding -> leaving on always if isDeleting',
  'upkeep: guarding -> guardingAgain on done of guardSelf if (isOwned)',
  'upkeep: keeping.awaiting -> withdrawing on always if (isDeleting (mayHaveMade))',
  'upkeep: keeping.lacking -> withdrawing on always if (isDeleting (mayHaveMade))',
  'upkeep: keeping.backingOff -> withdrawing on always if (isDeleting (mayHaveMade))',
  'upkeep: withdrawing -> gone on done of withdraw',
  // An API server that is away just when the finalizer is stored or taken off, and what happens before that is tried again.
  'upkeep: guarding -> guardingAgain on error of guardSelf',
  'upkeep: guardingAgain -> guarding on always if (isDeleting isOwned)',
  'upkeep: guardingAgain -> guarding on after backoff',
  'upkeep: releasing -> unclaimingAgain on error of releaseSelf',
  'upkeep: unclaimingAgain -> unclaiming on after backoff',
  // Two writes of the same object in the same few milliseconds.
  'upkeep: releasing -> releasing on error of releaseSelf if isLostRace',
  // Others come to use, or leave, what rests and is not ready.
  'upkeep: keeping.resting -> keeping.awaiting on relations.changed',
  // A deleted object that is held is put away at once: what it hears wakes another life.
  'upkeep: leaving.used -> stays on dependencies.changed',
  'upkeep: leaving.used -> leaving.awaiting on relations.changed',
];
