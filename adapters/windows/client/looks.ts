// Looks at a machine by way of csi-proxy: what several objects ask at about the same time is asked once.
//
// Invariants:
//   WIN-LOOKS-1. A change always reads the machine itself, before and after: only pure reads are answered together with
//       others.
//   WIN-LOOKS-2. A read is never answered by a list that was requested before the end of an earlier change of this
//       process (CSI-SHARED-LIST-1).
import type { Clock } from '../../../bus/time.ts';
import { SharedList } from '../../csi-proxy/hosts/shared-list.ts';
import type { Storage } from '../operations/storage.ts';
import { pipeDisks } from './disks.ts';
import type { Groups } from './groups.ts';
import { pipeStorage } from './storage.ts';

/** As of a listing of the machine's own. */
const MAX_AGE_MS = 1_000;
/** Maximum number of cached queries: those about deleted disks and volumes are dropped with all others. */
const MOST_KEPT = 4_096;

/** The machine for who changes it, and for who only looks. */
export interface PipeMachine {
  readonly host: Storage;
  readonly looks: Storage;
}

export function pipeMachine(groups: Groups, clock: Clock): PipeMachine {
  const answers = new Answers(clock);
  const storage = pipeStorage(groups);
  const host = telling(storage, answers);
  const { disk, volume, iscsi, system } = storage;
  const listVolumesOnDisk: typeof volume.listVolumesOnDisk = (number, partition) =>
    answers.of(`volumes ${number} ${partition}`, () => volume.listVolumesOnDisk(number, partition));
  // A caller that arrives during a rescan needs the next one: its disk may have been attached meanwhile.
  const rescans = new SharedList({ list: () => host.disk.rescan(), clock, maxAgeMs: 0 });
  const looks: Storage = {
    ...host,
    disk: {
      ...host.disk,
      listDiskLocations: () => answers.of('locations', disk.listDiskLocations),
      listDiskIDs: () => answers.of('identities', disk.listDiskIDs),
      getDiskStats: (number) => answers.of(`stats of disk ${number}`, () => disk.getDiskStats(number)),
      getDiskState: (number) => answers.of(`state ${number}`, () => disk.getDiskState(number)),
      basicPartitionsExist: pipeDisks(groups, { listVolumesOnDisk }).basicPartitionsExist,
      rescan: () => rescans.get(),
    },
    volume: {
      ...host.volume,
      listVolumesOnDisk,
      isVolumeFormatted: (id) => answers.of(`format of ${id}`, () => volume.isVolumeFormatted(id)),
      getVolumeStats: (id) => answers.of(`stats of ${id}`, () => volume.getVolumeStats(id)),
    },
    iscsi: { ...host.iscsi, listTargetPortals: () => answers.of('portals', iscsi.listTargetPortals) },
    system: { ...system, startService: (name) => answers.of(`service ${name}`, () => system.startService(name)) },
  };
  return { host, looks };
}

/** The machine, each change of which makes forget what was answered before. */
function telling(storage: Storage, answers: Answers): Storage {
  const { disk, volume, iscsi } = storage;
  return {
    ...storage,
    disk: {
      ...disk,
      setDiskState: (...given) => answers.after(disk.setDiskState(...given)),
      createBasicPartition: (...given) => answers.after(disk.createBasicPartition(...given)),
      rescan: () => answers.after(disk.rescan()),
    },
    volume: {
      ...volume,
      formatVolume: (...given) => answers.after(volume.formatVolume(...given)),
      resizeVolume: (...given) => answers.after(volume.resizeVolume(...given)),
    },
    iscsi: {
      ...iscsi,
      addTargetPortal: (...given) => answers.after(iscsi.addTargetPortal(...given)),
      removeTargetPortal: (...given) => answers.after(iscsi.removeTargetPortal(...given)),
      connectTarget: (...given) => answers.after(iscsi.connectTarget(...given)),
      disconnectTarget: (...given) => answers.after(iscsi.disconnectTarget(...given)),
    },
  };
}

class Answers {
  readonly #clock: Clock;
  /** Cached lists by query. */
  #known = new Map<string, SharedList<unknown>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of<Answer>(question: string, list: () => Promise<Answer>): Promise<Answer> {
    let known = this.#known.get(question);
    if (known === undefined) {
      if (this.#known.size >= MOST_KEPT) this.#known.clear();
      known = new SharedList<unknown>({ list, clock: this.#clock, maxAgeMs: MAX_AGE_MS });
      this.#known.set(question, known);
    }
    return known.get() as Promise<Answer>; // the same question has the same kind of answer
  }

  async after<Result>(change: Promise<Result>): Promise<Result> {
    try {
      return await change;
    } finally {
      // mutant: shared-look-of-before drop
      for (const known of this.#known.values()) known.forget();
    }
  }
}
