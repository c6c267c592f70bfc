// A scripted Troupe for the page: landscapes of any size, whose objects do what a test tells them.
import { layoutOf } from '../../../actors/visualizer/chart-layout.ts';
import { chartNodeOf } from '../../../actors/visualizer/chart-nodes.ts';
import type {
  Chart,
  FeedListener,
  Hello,
  Inspected,
  Messages,
  MessageView,
  Problems,
  RecentEvent,
  Source,
  StatusColor,
  Step,
  Steps,
  Tree,
} from '../../../actors/visualizer/wire.ts';
import { addressKey } from '../../../bus/mod.ts';
import { bareMetalHostMachine } from '../../../machines/bare-metal-host/machine.ts';
import { externalResourceMachine } from '../../../machines/external-resource/machine.ts';

import { REGISTRY } from './company.ts';

/** What an object of the landscape refers to, by kind. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  Project: [],
  Network: ['Project'],
  Subnet: ['Network'],
  Router: ['Network'],
  RouterInterface: ['Router', 'Subnet'],
  SecurityGroup: ['Project'],
  Port: ['Network', 'Subnet', 'SecurityGroup'],
  Volume: ['Project'],
  FloatingIP: ['Port'],
  Server: ['Port', 'Volume'],
};
const KINDS = Object.keys(NEEDS);
/** Of a hundred objects of a namespace. */
const SHARES: Readonly<Record<string, number>> = {
  Project: 1,
  Network: 4,
  Subnet: 8,
  Router: 2,
  RouterInterface: 8,
  SecurityGroup: 4,
};

/** What an object goes through while it is made, with the tone of each state. */
export const COMING_UP: readonly (readonly [state: string, tone: StatusColor, cause: string])[] = [
  ['claiming.awaitingDependencies', 'waiting', 'lifecycle.started'],
  ['building.adopting', 'busy', 'dependencies.changed'],
  ['building.creating', 'busy', 'xstate.done.actor.find'],
  ['building.recording', 'busy', 'xstate.done.actor.create'],
  ['reconciling.observing', 'busy', 'object.changed'],
  ['idle.available', 'available', 'xstate.done.actor.observe'],
];

export function plural(kind: string): string {
  return `${kind.toLowerCase()}s`;
}

export function keyOf(kind: string, namespace: string, name: string): string {
  return addressKey({ realm: 'openstack', plural: plural(kind), namespace, name });
}

export class Scripted implements Source {
  readonly trees = new Map<string, Tree>();
  readonly steps: Step[] = [];
  readonly #listeners = new Set<FeedListener>();
  readonly #now: () => number;
  /** What `inspect` says beyond what the objects are. */
  readonly details = new Map<string, Partial<Inspected>>();
  problemsNow: Problems = { at: 0, problems: [], leases: [], services: [], notes: [] };

  constructor(now: () => number) {
    this.#now = now;
  }

  get followers(): number {
    return this.#listeners.size;
  }

  /** Adds so many objects, settled, of namespaces of a hundred each. */
  fill(count: number): void {
    for (let index = 0; index < count; index++) {
      const namespace = `team-${String(Math.floor(index / 100) + 1).padStart(2, '0')}`;
      const number = index % 100;
      let [kind, before] = ['Server', 0];
      for (const name of KINDS) {
        const share = SHARES[name] ?? Math.ceil((100 - 27) / 4);
        if (number < before + share) {
          kind = name;
          break;
        }
        before += share;
      }
      const needs = (NEEDS[kind] ?? []).map((each) =>
        keyOf(each, namespace, `${plural(each)}-${number % (SHARES[each] ?? 18)}`),
      );
      this.add(kind, namespace, `${plural(kind)}-${number - before}`, { needs });
    }
  }

  put(trees: readonly Tree[]): void {
    for (const tree of trees) this.trees.set(tree.key, tree);
  }

  add(kind: string, namespace: string, name: string, more: Partial<Tree> = {}): Tree {
    const key = keyOf(kind, namespace, name);
    const at = this.#now();
    const tree: Tree = {
      key,
      kind,
      namespace,
      name,
      uid: `uid-${key}`,
      tone: 'available',
      state: 'idle.available',
      since: at,
      createdAt: at,
      attempts: 0,
      retryAt: 0,
      said: '',
      id: '',
      addresses: [],
      needs: [],
      ...more,
    };
    this.trees.set(key, tree);
    return tree;
  }

  /** One transition, told to whoever follows. */
  move(
    key: string,
    state: string,
    tone: StatusColor,
    {
      cause = 'object.changed',
      by,
      failure,
      said = '',
    }: { cause?: string; by?: string; failure?: string; said?: string } = {},
  ): void {
    this.report([
      this.#moved(key, state, tone, {
        cause,
        said,
        ...(by !== undefined && { by }),
        ...(failure !== undefined && { failure }),
      }),
    ]);
  }

  #moved(
    key: string,
    state: string,
    tone: StatusColor,
    more: { cause: string; said?: string; by?: string; failure?: string },
  ): Step {
    const tree = this.trees.get(key);
    const { said = '', ...rest } = more;
    const step: Step = { key, at: this.#now(), from: tree?.state ?? '', to: state, tone, ...rest };
    if (tree !== undefined) this.trees.set(key, { ...tree, state, tone, since: step.at, said });
    this.steps.push(step);
    return step;
  }

  /** Many at once, as the real one gathers them. */
  churn(count: number, random: () => number): void {
    const keys = [...this.trees.keys()];
    const steps = Array.from({ length: count }, () => {
      const key = keys[Math.floor(random() * keys.length)] as string;
      const [state, tone, cause] = COMING_UP[Math.floor(random() * COMING_UP.length)] as (typeof COMING_UP)[number];
      return this.#moved(key, state, tone, { cause });
    });
    this.report(steps);
  }

  report(steps: readonly Step[]): void {
    const keys = new Set(steps.map(({ key }) => key));
    const trees = [...keys].flatMap((key) => this.trees.get(key) ?? []);
    for (const listener of this.#listeners) listener.onChanges({ at: this.#now(), trees, gone: [], steps, missed: 0 });
  }

  tellNew(...trees: readonly Tree[]): void {
    for (const listener of this.#listeners)
      listener.onChanges({ at: this.#now(), trees, gone: [], steps: [], missed: 0 });
  }

  remove(key: string): void {
    const tree = this.trees.get(key);
    if (tree === undefined) return;
    const step: Step = { key, at: this.#now(), from: tree.state, to: '', cause: 'object.changed', tone: 'deleting' };
    this.trees.delete(key);
    this.steps.push(step);
    for (const listener of this.#listeners)
      listener.onChanges({ at: this.#now(), trees: [], gone: [key], steps: [step], missed: 0 });
  }

  // --- Source ---------------------------------------------------------------------------------------------------

  async hello(): Promise<Hello> {
    return {
      version: '0.0.0',
      bus: 'scripted',
      server: 'scripted',
      kinds: REGISTRY.resources.map(({ kind, realm, plural: own }) => ({
        kind,
        realm,
        plural: own,
        machine: REGISTRY.kind({ realm, plural: own })?.life.machine.id ?? '',
      })),
      keepsHistory: true,
    };
  }

  async follow(listener: FeedListener): Promise<{ close(): Promise<void> }> {
    this.#listeners.add(listener);
    listener.onSnapshot({ at: this.#now(), trees: [...this.trees.values()] });
    return {
      close: async () => {
        this.#listeners.delete(listener);
      },
    };
  }

  async history(since: number): Promise<Steps> {
    const keys: string[] = [];
    const texts: string[] = [];
    const indexOf = (list: string[], index: Map<string, number>, text: string | undefined): number => {
      if (text === undefined) return -1;
      const known = index.get(text);
      if (known !== undefined) return known;
      index.set(text, list.length);
      return list.push(text) - 1;
    };
    const [keyIndex, textIndex] = [new Map<string, number>(), new Map<string, number>()];
    const rows = this.steps
      .filter(({ at }) => at >= since)
      .map(({ key, at, from, to, cause, tone, by, failure }) => {
        const text = (value: string | undefined): number => indexOf(texts, textIndex, value);
        return [
          indexOf(keys, keyIndex, key),
          at,
          text(from),
          text(to),
          text(cause),
          text(tone),
          indexOf(keys, keyIndex, by),
          text(failure),
        ];
      });
    return { keys, texts, rows, truncated: false };
  }

  async inspect(key: string): Promise<Inspected | undefined> {
    const tree = this.trees.get(key);
    if (tree === undefined) return undefined;
    const history: readonly RecentEvent[] = this.steps
      .filter((step) => step.key === key)
      .map(({ at, from, to, cause, failure }) => ({
        at,
        type: 'transition',
        traceId: '0'.repeat(32),
        data: { from, to, cause, ...(failure !== undefined && { failure }) },
      }));
    const conditions = [
      {
        type: 'Available',
        status: tree.tone === 'available' ? 'True' : 'False',
        reason: 'Success',
        message: tree.said,
      },
    ];
    return {
      at: this.#now(),
      object: {
        metadata: { name: tree.name, namespace: tree.namespace, uid: tree.uid },
        spec: { resource: { name: tree.name } },
        status: { conditions },
      },
      machine: externalResourceMachine.id,
      mail: tree.needs.map(
        (need): MessageView => ({
          topic: 'claim',
          from: key,
          to: need,
          at: tree.createdAt,
          payload: { uid: tree.uid },
        }),
      ),
      history,
      chain: [],
      causes: [],
      events: [],
      ...this.details.get(key),
    };
  }

  async messages(keys: readonly string[]): Promise<Messages> {
    const letters = [...this.trees.values()]
      .filter(({ key }) => keys.includes(key))
      .flatMap((tree): MessageView[] => [
        { topic: 'object', from: '', to: tree.key, at: tree.createdAt, payload: { uid: tree.uid } },
        ...tree.needs
          .filter((need) => keys.includes(need))
          .flatMap((need): MessageView[] => [
            { topic: 'claim', from: tree.key, to: need, at: tree.createdAt + 3, payload: { uid: tree.uid } },
            { topic: 'ready', from: need, to: tree.key, at: tree.createdAt + 9, payload: { readiness: 'ready' } },
          ]),
      ]);
    return { letters: letters.sort((one, other) => one.at - other.at) };
  }

  async problems(): Promise<Problems> {
    return { ...this.problemsNow, at: this.#now() };
  }

  async machine(name: string): Promise<Chart | undefined> {
    const machine = [externalResourceMachine, bareMetalHostMachine].find(({ id }) => id === name);
    if (machine === undefined) return undefined;
    const root = chartNodeOf(machine);
    return { root, layout: await layoutOf(name, root) };
  }
}
