// A page as the source meets it: keeps what it is told, and all of it as text.
import * as assert from 'uvu/assert';
import { openLog } from '../../../actors/base/log.ts';
import { withoutOperations } from '../../../actors/effects/operations-service.ts';
import { registry } from '../../../actors/object/registry.ts';
import { type SourceDeps, source } from '../../../actors/visualizer/source.ts';
import type {
  Changes,
  FeedListener,
  ObjectsSnapshot,
  Source,
  Step,
  Tree,
  Trouble,
} from '../../../actors/visualizer/wire.ts';
import { openstackWith } from '../../../adapters/openstack/mod.ts';
import type { Clock } from '../../../bus/mod.ts';

const PAUSE_MS = 10;

export class Page implements FeedListener {
  readonly trees = new Map<string, Tree>();
  readonly steps: Step[] = [];
  readonly batches: Changes[] = [];
  readonly troubles: Trouble[] = [];
  /** Text of the banner: a snapshot clears it, as on the page. */
  banner: string | undefined;
  /** Everything that was handed over. */
  readonly texts: string[] = [];
  snapshots = 0;
  missed = 0;

  onSnapshot(snapshot: ObjectsSnapshot): void {
    this.texts.push(JSON.stringify(snapshot));
    this.snapshots += 1;
    this.banner = undefined;
    this.trees.clear();
    for (const tree of snapshot.trees) this.trees.set(tree.key, tree);
  }

  onChanges(changes: Changes): void {
    assert.ok(this.snapshots > 0, 'the graph comes first');
    this.texts.push(JSON.stringify(changes));
    this.batches.push(changes);
    for (const key of changes.gone) this.trees.delete(key);
    for (const tree of changes.trees) this.trees.set(tree.key, tree);
    this.steps.push(...changes.steps);
    this.missed += changes.missed;
  }

  onTrouble(problem: Trouble): void {
    this.texts.push(JSON.stringify(problem));
    this.troubles.push(problem);
    this.banner = problem.what;
  }

  /** Of a kind; there is one of that name. */
  tree(kind: string, name: string): Tree | undefined {
    return [...this.trees.values()].find((tree) => tree.kind === kind && tree.name === name);
  }

  async until(clock: Clock, what: string, isSo: () => boolean, limitMs = 40_000): Promise<void> {
    const limit = clock.now() + limitMs;
    while (!isSo()) {
      if (clock.now() > limit)
        throw new Error(`not so after ${limitMs} ms: ${what}; ${JSON.stringify([...this.trees.values()])}`);
      await clock.sleep(PAUSE_MS);
    }
  }
}

export const ADAPTERS = [openstackWith({})];
export const REGISTRY = registry(ADAPTERS.flatMap(withoutOperations), []);

export function sourceOn(
  deps: Pick<SourceDeps, 'bus' | 'client' | 'clock'> & Partial<SourceDeps>,
): Source & { close(): Promise<void> } {
  const log = openLog({ level: 'silent', readable: false });
  return source({ registry: REGISTRY, adapters: ADAPTERS, namespaces: undefined, log, ...deps });
}
