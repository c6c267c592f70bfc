// Which transitions of the machines of resources, guards and books histories do not take.

/** As `unreachable` of `Coverage`. */
export const UNREACHABLE: readonly string[] = [
  // Mail is only refused to an actor whose shard left, and whose chart is stopped by then. Unit-tested with the machine.
  'externalResource: lifecycle.deleting.unclaiming -> lifecycle.deleting.releasingAgain on error of unclaim',
  // A watch is refused only when what was imported has gone, which nobody takes away here. Unit-tested with the machine.
  'externalResource: lifecycle.keeping.settling -> lifecycle.failed on error of watch if isTerminal',
  // Nobody writes the id of another into the status of what is made of a Secret. Unit-tested with the machine.
  'externalResource: lifecycle.building.lacking -> lifecycle.claiming on object.changed if isUnsettled',
  // The API server takes whatever is said of content. Unit-tested with the machine.
  'externalResource: lifecycle.filling.announcing -> lifecycle.failed on error of announce if isTerminal',
  'externalResource: lifecycle.filling.delegated -> lifecycle.failed on error of announceDelegation if isTerminal',
  'externalResource: lifecycle.filling.attempting -> lifecycle.failed on error of announceAttempt if isTerminal',
  // Drift is repaired everywhere here. Unit-tested with the machine.
  'externalResource: lifecycle.keeping.observing -> lifecycle.failed on done of observe if isToReport',
  'externalResource: lifecycle.keeping.settling -> lifecycle.failed on observed if isToReport',
  'book: deleting.unclaiming -> deleting.retrying on error of unclaim',
];

/** As `rare` of `Coverage`. */
export const RARE: readonly string[] = [
  // A race, or an API server that is away, in the few milliseconds in which a download is said to be left to Glance.
  'externalResource: lifecycle.filling.delegated -> lifecycle.filling.delegated on error of announceDelegation if isLostRace',
  'externalResource: lifecycle.filling.delegated -> lifecycle.backingOff on error of announceDelegation',
  // What a dependency stands for is made anew while an update pass is under way.
  'externalResource: lifecycle.keeping.judging -> lifecycle.keeping.observing on always if isPassOnOld',
  // What an update has not put to use yet is deleted while the cloud is at work.
  'externalResource: lifecycle.keeping.settling -> lifecycle.keeping.observing on always if mayBeUnused',
  // The Secret of what is being made is emptied, and the object deleted while it waits for another.
  'externalResource: lifecycle.building.lacking -> lifecycle.deleting on always if isDeleting',
  // A port that vanishes between two looks while the cloud is at work on it.
  'externalResource: lifecycle.keeping.settling -> lifecycle.keeping.forgetting on observed',
  // A dependency that is made anew under another id while everybody is at rest.
  'externalResource: lifecycle.resting -> lifecycle.claiming on relations.changed',
  // An id that two objects have recorded, which no user writes here, or that somebody takes away while the cloud is at work.
  'externalResource: lifecycle.building.contending -> lifecycle.building.yielding on done of contend if mustTakeBack',
  'externalResource: lifecycle.building.yielding -> lifecycle.claiming on done of yield',
  'externalResource: lifecycle.building.yielding -> lifecycle.backingOff on error of yield',
  'externalResource: lifecycle.building.taken -> lifecycle.claiming on object.changed if isUnsettled',
  'externalResource: lifecycle.keeping.judging -> lifecycle.claiming on always if isContested',
  'externalResource: lifecycle.keeping.settling -> lifecycle.building.contending on observed if wasFoundUnrecorded',
  // An id that a user writes into a status while a look, a verdict or the bringing of content is under way.
  'externalResource: lifecycle.building.contending -> lifecycle.claiming on object.changed if isUsurped',
  'externalResource: lifecycle.keeping.observing -> lifecycle.claiming on object.changed if isUsurped',
  'externalResource: lifecycle.filling -> lifecycle.claiming on always if isContested',
  // What an earlier create made and the object does not tell of any more: another object has it, or the object is deleted.
  'externalResource: lifecycle.building.contending -> lifecycle.claiming on done of contend if hasEarlierRival',
  'externalResource: lifecycle.deleting.contending -> lifecycle.deleting.recordingFound on done of contendAtEnd if wasEarlier',
  'externalResource: lifecycle.deleting.recordingFound -> lifecycle.deleting.removing on done of recordFound if wasStored',
  'externalResource: lifecycle.deleting.deciding -> lifecycle.deleting.unclaiming on always if isGoneWithOther',
  'externalResource: lifecycle.deleting.recordingFound -> lifecycle.deleting.backingOff on done of recordFound',
  'externalResource: lifecycle.deleting.recordingFound -> lifecycle.deleting.backingOff on error of recordFound',
  // A deletion just while it is not clear whether something was built; and a child of which its absence was told too early.
  'externalResource: lifecycle.claiming.unclear -> lifecycle.deleting on always if isDeleting',
  'externalResource: lifecycle.deleting.awaitingChildren -> lifecycle.deleting.removingChildren on after childrenPause if areChildrenGone',
  // What was stored is told to the chart before its effect ends (E2), and it has mostly gone on by then.
  'book: working.guarding -> working.reserving on done of guardSelf',
  // Races of two writes, which are won by whoever else writes the same object in the same few milliseconds.
  'book: finished.furnishing -> finished.furnishing on error of furnish if isConflict',
  'book: deleting.releasing -> deleting.held on error of releaseSelf if isConflict',
];
