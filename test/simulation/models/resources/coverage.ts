// Which transitions of the machines of resources, guards and books histories do not take.

/** As `unreachable` of `Coverage`: what no history of resources can take; tests of the machines do. */
export const UNREACHABLE: readonly string[] = [
  // Mail is only refused to an actor whose shard left, and whose chart is stopped by then.
  'externalResource: lifecycle.deleting.endingClaims -> lifecycle.deleting.retryingRelease on error of endClaims',
  'externalResource: lifecycle.withdrawing -> lifecycle.retryingWithdrawal on error of withdraw',
  'externalResource: lifecycle.retryingWithdrawal -> lifecycle.withdrawing on after backoff',
  'book: deleting.endingClaims -> deleting.retrying on error of endClaims',
  'book: withdrawing -> withdrawingAgain on error of withdraw',
  'book: withdrawingAgain -> withdrawing on after backoff',
  // A watch is rejected only when an imported resource was deleted, which no user does here.
  'externalResource: lifecycle.reconciling.awaitingReady -> lifecycle.failed on error of watch if isTerminal',
  // No user writes the id of another resource into the status of an object that needs a Secret.
  'externalResource: lifecycle.building.awaitingPrerequisite -> lifecycle.claiming on object.changed if isUnsettled',
  // The API server accepts every status of a content transfer.
  'externalResource: lifecycle.transferringContent.announcing -> lifecycle.failed on error of announce if isTerminal',
  'externalResource: lifecycle.transferringContent.delegated -> lifecycle.failed on error of announceDelegation if isTerminal',
  'externalResource: lifecycle.transferringContent.attempting -> lifecycle.failed on error of announceAttempt if isTerminal',
  // Every spec of a history can be sent.
  'externalResource: lifecycle.building.making -> lifecycle.failed on always if isUnsendable',
  // Drift is repaired everywhere here.
  'externalResource: lifecycle.reconciling.observing -> lifecycle.failed on done of observe if isToReport',
  'externalResource: lifecycle.reconciling.awaitingReady -> lifecycle.failed on observed if isToReport',
  // Images have a format, and are of HTTP: Glance refuses the content of none.
  'externalResource: lifecycle.transferringContent.delegating -> lifecycle.failed on error of delegate if isTerminal',
  'externalResource: lifecycle.transferringContent.uploading -> lifecycle.failed on error of fill if isTerminal',
];

/** As `rare` of `Coverage`. */
export const RARE: readonly string[] = [
  // A race, or an unreachable API server, in the few milliseconds in which a download is reported as left to Glance.
  'externalResource: lifecycle.transferringContent.delegated -> lifecycle.transferringContent.delegated on error of announceDelegation if isLostRace',
  'externalResource: lifecycle.transferringContent.delegated -> lifecycle.backingOff on error of announceDelegation',
  // A dependency is re-created during an update pass.
  'externalResource: lifecycle.reconciling.evaluating -> lifecycle.reconciling.observing on always if isPassOnOld',
  // What an update has not put to use yet is deleted while the cloud is at work.
  'externalResource: lifecycle.reconciling.awaitingReady -> lifecycle.reconciling.observing on always if mayBeUnused',
  // A volume goes in the few milliseconds between the lookup and the create of a server that lacks its user data.
  'externalResource: lifecycle.building.awaitingPrerequisite -> lifecycle.claiming on always if mustWithdraw',
  // A rejected spec is put right before its dependencies are deleted.
  'externalResource: lifecycle.failed -> lifecycle.claiming on always if mustProbe',
  // The Secret of what is being made is emptied, and the object deleted while it waits for another.
  'externalResource: lifecycle.building.awaitingPrerequisite -> lifecycle.deleting on always if isDeleting',
  // A port that vanishes between two looks while the cloud is at work on it.
  'externalResource: lifecycle.reconciling.awaitingReady -> lifecycle.reconciling.clearingId on observed',
  // A dependency that is re-created under another id while all objects are settled.
  'externalResource: lifecycle.idle -> lifecycle.claiming on relations.changed',
  // An id that two objects have recorded, which no user writes here, or that a user clears while the cloud is at work.
  'externalResource: lifecycle.building.resolvingOwnership -> lifecycle.building.clearingLostId on done of resolveOwnership if mustTakeBack',
  'externalResource: lifecycle.building.clearingLostId -> lifecycle.claiming on done of yield',
  'externalResource: lifecycle.building.clearingLostId -> lifecycle.backingOff on error of yield',
  'externalResource: lifecycle.building.ownedElsewhere -> lifecycle.claiming on object.changed if isUnsettled',
  'externalResource: lifecycle.reconciling.evaluating -> lifecycle.claiming on always if isOwnershipDisputed',
  'externalResource: lifecycle.reconciling.awaitingReady -> lifecycle.building.resolvingOwnership on observed if wasFoundUnrecorded',
  // An id that a user writes into a status while a look, a verdict or the bringing of content is under way.
  'externalResource: lifecycle.building.resolvingOwnership -> lifecycle.claiming on object.changed if isIdReplaced',
  'externalResource: lifecycle.reconciling.observing -> lifecycle.claiming on object.changed if isIdReplaced',
  'externalResource: lifecycle.transferringContent -> lifecycle.claiming on always if isOwnershipDisputed',
  // A resource of an earlier create that the spec no longer identifies: another object has it, or the object is deleted.
  'externalResource: lifecycle.building.resolvingOwnership -> lifecycle.claiming on done of resolveOwnership if hasEarlierRival',
  'externalResource: lifecycle.deleting.resolvingOwnership -> lifecycle.deleting.recordingFound on done of resolveOwnershipOnDelete if wasEarlier',
  'externalResource: lifecycle.deleting.recordingFound -> lifecycle.deleting.removing on done of recordFound if wasStored',
  'externalResource: lifecycle.deleting.deciding -> lifecycle.deleting.endingClaims on always if isGoneWithOther',
  'externalResource: lifecycle.deleting.recordingFound -> lifecycle.deleting.backingOff on done of recordFound',
  'externalResource: lifecycle.deleting.recordingFound -> lifecycle.deleting.backingOff on error of recordFound',
  // A deletion while it is unclear whether a resource was created; and a child that was reported absent too early.
  'externalResource: lifecycle.claiming.undetermined -> lifecycle.deleting on always if isDeleting',
  'externalResource: lifecycle.deleting.awaitingChildren -> lifecycle.deleting.removingChildren on after childrenPause if areChildrenGone',
  // A dependency is deleted while it is not clear whether anything was built on it, and no other answer ends that.
  'externalResource: lifecycle.claiming.undetermined -> lifecycle.claiming.awaitingDependencies on object.changed if isNewGeneration',
  'externalResource: lifecycle.claiming.undetermined -> lifecycle.claiming.awaitingDependencies on after unclearPause',
  // An interface of a router is removed, and another client adds it again, between two polls.
  'externalResource: lifecycle.reconciling.observing -> lifecycle.reconciling.clearingId on done of observe if wasReplaced',
  // A dependency that no update uses yet is deleted, and observed before the cloud has finished something else.
  'externalResource: lifecycle.reconciling.awaitingReady -> stays on always if mustYieldUnused',
  // What lost the race for the id could not be removed at once, and another object has it by now, or is making its like, or it
  // cannot be found out.
  'externalResource: lifecycle.building.resolvingDiscard -> lifecycle.building.retryingDiscard on done of resolveDiscard if mayStillLand',
  'externalResource: lifecycle.building.resolvingDiscard -> lifecycle.claiming on done of resolveDiscard if hasOwner',
  'externalResource: lifecycle.building.resolvingDiscard -> lifecycle.building.retryingDiscard on error of resolveDiscard if lostReservation',
  'externalResource: lifecycle.building.resolvingDiscard -> lifecycle.building.retryingDiscard on error of resolveDiscard',
  // A deleted object with children is edited while they are deleted.
  'externalResource: lifecycle.deleting.awaitingChildren -> lifecycle.deleting.removingChildren on object.changed if isNewGeneration',
  // A failure of the cloud itself that lasts longer than the first pause after it.
  'externalResource: lifecycle.failed -> lifecycle.claiming on after relook',
  // A person says, just while it is looked for, which of several matches is the one to be removed.
  'externalResource: lifecycle.deleting.refused -> lifecycle.deleting.deciding on always if isBuiltOnReplaced',
  // A book whose finalizer a person took off before this lifecycle: deleted while it waits, is finished, or is printed again.
  'book: working.waitingOut -> withdrawing on always if isDeletedUnmade',
  'book: finished -> withdrawing on always if isDeletedUnmade',
  'book: recycling -> withdrawing on always if isDeletedUnmade',
  'book: refused -> withdrawing on always if isDeletedUnmade',
  'book: backingOff -> withdrawing on always if isDeletedUnmade',
  'book: working.addingFinalizer -> deleting on always if isDeleting',
  // What was stored is told to the chart before its effect ends (PORTS-2), and it has mostly gone on by then.
  'book: working.addingFinalizer -> working.reserving on done of addOwnFinalizer',
  // Races of two writes, which are won by whoever else writes the same object in the same few milliseconds.
  'book: finished.furnishing -> finished.furnishing on error of furnish if isConflict',
  'book: deleting.removingFinalizer -> deleting.held on error of removeOwnFinalizer if isConflict',
];
