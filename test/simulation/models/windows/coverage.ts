// Which transitions of the machine that looks after Windows storage histories do not take.

/** As `unreachable` of `Coverage`: what no history of Windows storage can take; tests of the machine do. */
export const WINDOWS_UNREACHABLE: readonly string[] = [
  // Each life begins with a look, and whoever rests has made one.
  'reconcileLoop: starting -> active.idle on lifecycle.started if (isSettled isOwned)',
  'reconcileLoop: starting -> active.available on lifecycle.started if (isSettled isOwned isAvailable)',
  'reconcileLoop: active.idle -> active.awaiting on dependencies.changed if isUnlooked',
  'reconcileLoop: active.available -> active.awaiting on dependencies.changed if isUnlooked',
  // Nothing of Windows waits for its time but by a look that is due.
  'reconcileLoop: active.reconciling -> active.requeued on done of reconcile if is',
  'reconcileLoop: active.requeued -> deleting on always if isDeleting',
  'reconcileLoop: active.requeued -> active.awaiting on always if isStale',
  'reconcileLoop: active.requeued -> active.awaiting on after pause',
  'reconcileLoop: deleting.reconciling -> deleting.requeued on done of reconcileOnDelete if is',
  'reconcileLoop: deleting.requeued -> deleting.awaiting on always if isStale',
  'reconcileLoop: deleting.requeued -> deleting.awaiting on after pause',
  // What can rest otherwise than lacking something, or is refused, was guarded before.
  'reconcileLoop: active.idle -> withdrawing on always if (isDeleting (mayHaveMade))',
  'reconcileLoop: active.available -> withdrawing on always if (isDeleting (mayHaveMade))',
  'reconcileLoop: active.requeued -> withdrawing on always if (isDeleting (mayHaveMade))',
  'reconcileLoop: active.refused -> withdrawing on always if (isDeleting (mayHaveMade))',
  // Whoever lacks something hears when it is there, and whoever is deleted and used hears when that is over.
  'reconcileLoop: active.awaitingDependencies -> active.awaiting on after look',
  // Whoever is deleted and rests is used by others.
  'reconcileLoop: deleting.reconciling -> deleting.idle on done of reconcileOnDelete',
  'reconcileLoop: deleting.idle -> deleting.awaiting on after look',
  'reconcileLoop: deleting.idle -> deleting.awaiting on always if isStale',
  'reconcileLoop: deleting.idle -> deleting.awaiting on relations.changed',
  // An object without finalizers is gone at once, and its chart stopped: what was stored is told to it before its effect ends (PORTS-2).
  'reconcileLoop: removingFinalizer -> deleted on done of removeOwnFinalizer',
  // Mail is only refused to an actor whose shard left, and whose chart is stopped by then.
  'reconcileLoop: endingClaims -> retryingEndOfClaims on error of endClaims',
  'reconcileLoop: withdrawing -> retryingWithdrawal on error of withdraw',
  'reconcileLoop: retryingWithdrawal -> withdrawing on after backoff',
];

/** As `rare` of `Coverage`. */
export const WINDOWS_RARE: readonly string[] = [
  // A deletion before the finalizer is stored, of an object that others hold, or in the milliseconds in which that is under way.
  'reconcileLoop: starting -> withdrawing on lifecycle.started if (isDeleting (mayHaveMade))',
  'reconcileLoop: addingFinalizer -> withdrawing on always if (isDeleting (mayHaveMade))',
  'reconcileLoop: addingFinalizer -> deleting on always if isDeleting',
  'reconcileLoop: addingFinalizer -> retryingFinalizer on done of addOwnFinalizer if (isOwned)',
  'reconcileLoop: active.awaiting -> withdrawing on always if (isDeleting (mayHaveMade))',
  'reconcileLoop: active.awaitingDependencies -> withdrawing on always if (isDeleting (mayHaveMade))',
  'reconcileLoop: active.backingOff -> withdrawing on always if (isDeleting (mayHaveMade))',
  'reconcileLoop: withdrawing -> deleted on done of withdraw',
  // An API server that is away just when the finalizer is stored or taken off, and what happens before that is tried again.
  'reconcileLoop: addingFinalizer -> retryingFinalizer on error of addOwnFinalizer',
  'reconcileLoop: retryingFinalizer -> addingFinalizer on always if (isDeleting isOwned)',
  'reconcileLoop: retryingFinalizer -> addingFinalizer on after backoff',
  'reconcileLoop: removingFinalizer -> retryingEndOfClaims on error of removeOwnFinalizer',
  'reconcileLoop: retryingEndOfClaims -> endingClaims on after backoff',
  // Two writes of the same object in the same few milliseconds.
  'reconcileLoop: removingFinalizer -> removingFinalizer on error of removeOwnFinalizer if isLostRace',
  // Others come to use, or leave, what rests and is not ready.
  'reconcileLoop: active.idle -> active.awaiting on relations.changed',
  // A deleted object that is held is put away at once: what it hears wakes another life.
  'reconcileLoop: deleting.inUse -> deleting.awaiting on after look',
  'reconcileLoop: deleting.inUse -> deleting.awaiting on relations.changed',
];
