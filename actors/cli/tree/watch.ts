// `troupe tree --watch`: the trees as the objects change, by a watch of every kind.
import {
  ForbiddenError,
  type Objects,
  type Resource,
  type WatchHandlers,
  watchResource,
} from '../../../adapters/kubernetes/mod.ts';
import { parseAddressKey } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { plain } from '../../base/printable.ts';
import { ClusterReader } from '../../diagnosis/cluster-reader.ts';
import { Standing } from '../../diagnosis/findings.ts';
import type { Registry } from '../../object/registry.ts';
import type { Cluster } from '../cluster.ts';
import type { CommandContext } from '../command-context.ts';
import { openScreen } from '../demo/screen.ts';
import { truncateToTerminal } from '../truncate.ts';
import type { Tree } from './forest.ts';
import { changeText, treesLines, treesOf, type Wanted } from './trees.ts';

/** Changes within this time are shown together, in milliseconds. */
const TOGETHER_MS = 50;
/** Period after which the time since is printed again, in milliseconds. */
const TICK_MS = 1_000;

/** Goes on until it is stopped. @returns 0 @throws as `treesOf` */
export async function watchTree(question: CommandContext, cluster: Cluster, wanted: Wanted): Promise<number> {
  const { clock, isTerminal } = question;
  const { client, objects, registry } = cluster;
  const signal = question.stopSignal();
  const changes = new Changes();
  signal.addEventListener('abort', () => changes.report(), { once: true });
  const known = new KnownObjects(objects, wanted.namespace, changes);
  const show = isTerminal ? onScreen(question, wanted) : inLines(question);
  try {
    for (const resource of registry.resources) {
      if (registry.kind(resource) === undefined && (await isForbidden(objects, resource, wanted.namespace))) continue;
      const handlers = known.handlers(resource, show.problem);
      const scope = { resource, namespace: resource.scope === 'Cluster' ? undefined : wanted.namespace };
      void watchResource({ client, objects, clock }, scope, handlers, signal);
    }
    while (!known.isComplete && !signal.aborted) await changes.next();
    while (!signal.aborted) {
      // Changes during a read are read next.
      const change = changes.next();
      const deps = { reading: new ClusterReader({ objects: known, registry }), registry, now: clock.now() };
      const trees = await treesOf(deps, wanted);
      if (signal.aborted) break;
      show.trees(trees, (key) => known.isGone(registry, key));
      const tick = isTerminal ? clock.setTimeout(() => changes.report(), TICK_MS) : undefined;
      await change;
      if (tick !== undefined) clock.clearTimeout(tick);
      await clock.sleep(TOGETHER_MS, signal);
    }
  } finally {
    show.end();
  }
  return 0;
}

/** Whether the user may not list it: few may list Secrets. They are asked for one by one then. */
async function isForbidden(objects: Pick<Objects, 'list'>, resource: Resource, namespace: string): Promise<boolean> {
  try {
    await objects.list(resource, resource.scope === 'Cluster' ? undefined : namespace);
    return false;
  } catch (error) {
    return error instanceof ForbiddenError; // the watch reports all others
  }
}

/** Wakes the caller that waits for the next change. */
class Changes {
  #waiting: (() => void)[] = [];

  report(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

interface Show {
  /** @param isGone  whether an object that was shown, by its key, is there no more */
  trees(trees: readonly Tree[], isGone: (key: string) => boolean): void;
  problem(message: string): void;
  end(): void;
}

function onScreen({ out, clock, ink }: CommandContext, { namespace }: Wanted): Show {
  let trees: readonly Tree[] | undefined;
  let problem = '';
  const paint = (size: { readonly columns: number; readonly rows: number }): readonly string[] => {
    const lines = trees === undefined ? ['...'] : treesLines(trees, namespace, ink);
    return truncateToTerminal(problem === '' ? lines : [...lines, '', plain(problem)], size);
  };
  const screen = openScreen({ out, clock, paint, tickMs: TICK_MS });
  return {
    trees(next) {
      trees = next;
      screen.changed();
    },
    problem(message) {
      problem = message;
      screen.changed();
    },
    end: () => screen.end(),
  };
}

/** One line a change: what an object stands at now, and when something is the matter with the watch. */
function inLines({ out, err, clock }: CommandContext): Show {
  /** Keyed by object. */
  const reported = new Map<string, { readonly label: string; readonly text: string }>();
  const time = (): string => new Date(clock.now()).toISOString();
  return {
    trees(trees, isGone) {
      const now = new Map(all(trees).map((tree) => [tree.key, tree]));
      for (const [key, tree] of now) {
        const text = changeText(tree);
        if (reported.get(key)?.text !== text) out.write(`${time()}  ${text}\n`);
        reported.set(key, { label: tree.label, text });
      }
      for (const [key, { label }] of [...reported].filter(([each]) => !now.has(each))) {
        reported.delete(key);
        // An object without references to it any more is no part of the trees, and may well be there.
        if (isGone(key)) out.write(`${time()}  ${plain(label)}  ${Standing.Absent}\n`);
      }
    },
    problem(message) {
      if (message !== '') err.write(`troupe: ${plain(message)}\n`);
    },
    end: () => undefined,
  };
}

function all(trees: readonly Tree[]): readonly Tree[] {
  return trees.flatMap((tree) => (tree.repeated ? [] : [tree, ...all(tree.below)]));
}

/** The objects of one namespace as watches told of them; those of others are asked for. */
class KnownObjects implements Pick<Objects, 'get' | 'list'> {
  readonly #others: Pick<Objects, 'get' | 'list'>;
  readonly #namespace: string;
  readonly #changes: Changes;
  readonly #byResource = new Map<string, Map<string, KubeObject>>();
  /** Resources that were not listed yet. */
  readonly #unlisted = new Set<string>();

  constructor(others: Pick<Objects, 'get' | 'list'>, namespace: string, changes: Changes) {
    this.#others = others;
    this.#namespace = namespace;
    this.#changes = changes;
  }

  get isComplete(): boolean {
    return this.#unlisted.size === 0;
  }

  /** @param onTrouble  empty: it is over */
  handlers(resource: Resource, onTrouble: (message: string) => void): WatchHandlers {
    const key = keyOf(resource);
    const objects = new Map<string, KubeObject>();
    this.#byResource.set(key, objects);
    this.#unlisted.add(key);
    const listed = (): void => {
      this.#unlisted.delete(key);
      this.#changes.report();
    };
    return {
      onList: (items) => {
        objects.clear();
        for (const object of items) objects.set(object.metadata.name, object);
        listed();
      },
      onChange: (object) => {
        objects.set(object.metadata.name, object);
        this.#changes.report();
      },
      onGone: ({ metadata }) => {
        objects.delete(metadata.name);
        this.#changes.report();
      },
      onTrouble(message, missing) {
        // There is none of a kind that the cluster does not know.
        if (missing) listed();
        else onTrouble(message);
      },
      onRecovery: () => onTrouble(''),
    };
  }

  /** Objects outside of our namespaces are not known to be deleted. */
  isGone({ resource: resourceOf }: Pick<Registry, 'resource'>, key: string): boolean {
    const address = parseAddressKey(key);
    const resource = address && resourceOf(address);
    const known = resource && this.#known(resource, address.namespace);
    return known !== undefined && address !== undefined && !known.has(address.name);
  }

  async get(resource: Resource, namespace: string, name: string): Promise<KubeObject | undefined> {
    const known = this.#known(resource, namespace);
    return known === undefined ? this.#others.get(resource, namespace, name) : known.get(name);
  }

  async list(resource: Resource, namespace = ''): ReturnType<Objects['list']> {
    const known = this.#known(resource, namespace);
    if (known === undefined) return this.#others.list(resource, namespace);
    return { items: [...known.values()], resourceVersion: '', serverTime: 0 };
  }

  #known(resource: Resource, namespace: string): ReadonlyMap<string, KubeObject> | undefined {
    const isHere = namespace === (resource.scope === 'Cluster' ? '' : this.#namespace);
    return isHere ? this.#byResource.get(keyOf(resource)) : undefined;
  }
}

function keyOf({ group, plural }: Pick<Resource, 'group' | 'plural'>): string {
  return `${plural}.${group}`;
}
