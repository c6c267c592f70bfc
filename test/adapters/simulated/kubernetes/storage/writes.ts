// Scenario of a store on a disk: writes, their acknowledgements, and the required content afterwards.
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../../actors/base/clock.ts';
import { type FolderStore, openFolder } from '../../../../../adapters/simulated/kubernetes/storage/folder.ts';
import type { Clock } from '../../../../../bus/time.ts';
import type { Disk } from './disk.ts';

export const KEY = '/configmaps';

/** `undefined` removes. */
export type Write = readonly [name: string, data: string | undefined];

interface Reported {
  readonly write: Write;
  readonly revision: number;
  outcome: 'waiting' | 'kept' | 'undone';
}

export type State = Map<string, string>;

/** The runtime's clock, but it does not sleep. */
const clock: Clock = { ...systemClock(), sleep: () => new Promise((resolve) => void setImmediate(resolve)) };

export function open(disk: Disk, leastCompactionBytes = 1_000_000): Promise<FolderStore> {
  return openFolder({
    folder: '/data',
    clock,
    remembered: { changes: 1000, characters: 1_000_000 },
    firstRevision: 1,
    log: undefined,
    files: disk.files,
    leastCompactionBytes,
  });
}

export function stateOf({ store }: FolderStore): State {
  const objects = store.collection(KEY).list(undefined, '');
  return new Map(objects.map(({ object }) => [object.metadata.name ?? '', String(object['data'])]));
}

export function applied(state: State, writes: readonly Write[]): State {
  const next = new Map(state);
  for (const [name, data] of writes) {
    if (data === undefined) next.delete(name);
    else next.set(name, data);
  }
  return new Map([...next].sort(([left], [right]) => (left < right ? -1 : 1)));
}

export class Lifecycle {
  readonly #folder: FolderStore;
  readonly #before: State;
  readonly #reported: Reported[] = [];
  /** Greatest revision that was visible to a client. */
  shown: number;

  constructor(folder: FolderStore) {
    this.#folder = folder;
    this.#before = stateOf(folder);
    this.shown = folder.store.revision();
    folder.store.collection(KEY).listen(({ revision }) => {
      assert.ok(revision > this.shown, 'changes are shown in order');
      this.shown = revision;
    });
  }

  write([name, data]: Write): void {
    const { store } = this.#folder;
    const objects = store.collection(KEY);
    if (data === undefined) {
      if (objects.remove('default', name) === undefined) return;
    } else {
      objects.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data });
    }
    const reported: Reported = { write: [name, data], revision: store.revision(), outcome: 'waiting' };
    this.#reported.push(reported);
    void store.settled()?.then((undone) => {
      reported.outcome = undone === undefined ? 'kept' : 'undone';
      if (undone !== undefined)
        assert.match(undone.message, /^there is no space for '.*'.*make room there and try again$/);
    });
  }

  /** Memory has what is kept or waits, in the order of the writes. */
  check(): void {
    const alive = this.#reported.filter(({ outcome }) => outcome !== 'undone');
    assert.equal(
      [...stateOf(this.#folder)],
      [
        ...applied(
          this.#before,
          alive.map(({ write }) => write),
        ),
      ],
    );
  }

  keptRevision(): number {
    return Math.max(
      this.shown,
      ...this.#reported.filter(({ outcome }) => outcome === 'kept').map(({ revision }) => revision),
    );
  }

  /** What a crash may leave: all that was told, and of what nobody was told the writes of some time. */
  possible(): State[] {
    const lastKept = this.#reported.findLastIndex(({ outcome }) => outcome === 'kept');
    const kept = this.#reported.filter(({ outcome }) => outcome === 'kept').map(({ write }) => write);
    const base = applied(this.#before, kept);
    const doubtful = this.#reported.slice(lastKept + 1);
    const states = [base];
    for (let from = 0; from < doubtful.length; from++) {
      for (let to = from + 1; to <= doubtful.length; to++) {
        states.push(
          applied(
            base,
            doubtful.slice(from, to).map(({ write }) => write),
          ),
        );
      }
    }
    return states;
  }
}
