// The storage of Windows machines as a model of histories: machines, who uses them and who looks at them, and where objects are to be
// in the end.
import { mulberry32 } from '../../../../actors/base/clock.ts';
import type { ConfiguredAdapter } from '../../../../adapters/api/adapter.ts';
import type { Change } from '../../../../adapters/simulated/kubernetes/storage/store.ts';
import { Reason, reasonOf } from '../../../../adapters/windows/conditions.ts';
import { windowsContracts } from '../../../../adapters/windows/contracts/mod.ts';
import { type JsonObject, type Services, toErrorData } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { reconcileLoopMachine } from '../../../../machines/reconcile-loop/machine.ts';
import { skipIdsOfCloud } from '../../draw.ts';
import type { Environment, HistoryContext, HistoryModel, Line } from '../../model.ts';
import { makeBeforehand } from './beforehand.ts';
import { WINDOWS_RARE, WINDOWS_UNREACHABLE } from './coverage.ts';
import { DIRECTORY, type Estate, PORTAL } from './estate.ts';
import { WindowsHands } from './hands.ts';
import {
  type Machines,
  type MachineWatcher,
  machinesOf,
  type SimulatedMachine,
  seenOn,
  windowsOver,
} from './machines.ts';
import { type SecretDone, type WindowsHappening, windowsPlan } from './plan.ts';
import { PLURALS } from './relations.ts';
import { WindowsRest } from './rest.ts';
import { TENANT_SITUATIONS } from './tenancy.ts';
import { WindowsUsers } from './users.ts';
import { WindowsWatch } from './watch.ts';

/** Kinds whose attempts are recorded before they are made. */
const ATTEMPTED: ReadonlySet<string> = new Set(['SmbMapping', 'IscsiTarget', 'WindowsMount']);

export const WINDOWS: HistoryModel<WindowsHappening, Estate> = {
  name: 'windows',
  about: 'Windows storage',
  every: 11,
  contracts: windowsContracts,
  restWithinMs: 40 * 60_000,
  coverage: {
    charts: [{ machine: reconcileLoopMachine as never }],
    situations: TENANT_SITUATIONS,
    unreachable: WINDOWS_UNREACHABLE,
    rare: WINDOWS_RARE,
  },
  plan: (seed) => ({ ...windowsPlan(seed), model: WINDOWS }),
  needs: ({ given }, namespace) => given.things.some((thing) => thing.namespace === namespace),
  async begin(context, { seed, given }) {
    skipIdsOfCloud(context.clock);
    const machines = await machinesOf(given, { ...context, chance: mulberry32(seed ^ 0x3a17) });
    const storage = new WindowsStorage(context, given, machines);
    await storage.furnish();
    return storage;
  },
};

class WindowsStorage implements Environment<WindowsHappening> {
  readonly nodes: readonly string[];
  readonly #context: HistoryContext;
  readonly #estate: Estate;
  readonly #machines: Machines;
  readonly #watch: WindowsWatch;
  readonly #users: WindowsUsers;
  readonly #hands: WindowsHands;
  readonly #rest: WindowsRest;

  constructor(context: HistoryContext, estate: Estate, machines: Machines) {
    this.nodes = estate.nodes.map(({ name }) => name);
    this.#context = context;
    this.#estate = estate;
    this.#machines = machines;
    this.#watch = new WindowsWatch({ ...context, machines });
    this.#users = new WindowsUsers({ ...context, machines, estate });
    this.#hands = new WindowsHands({ machines, estate, watch: this.#watch });
    this.#rest = new WindowsRest({ ...context, machines });
  }

  /** Makes what somebody else has made before all objects. */
  async furnish(): Promise<void> {
    for (const each of this.#estate.beforehand) {
      const names = await makeBeforehand(each, this.#machines.of(each.node), this.#estate);
      for (const name of names) this.#watch.onBeforehand(each.node, name);
    }
  }

  adapters(line: Line): readonly ConfiguredAdapter[] {
    const { chronicle } = this.#context;
    const watch = this.#watch;
    const watcher: MachineWatcher = {
      onBegun(change) {
        const { pod, call, args, machine } = change;
        const { node } = machine;
        chronicle.note(`${pod} ${call} ${node}`, () => `${pod} asks ${node}: ${call} ${args.map(String).join(' ')}`);
        watch.onBegun(change);
      },
      onDone(change, error) {
        const { call, machine } = change;
        const end = (): string => (error === undefined ? 'is done' : `fails: ${String(error)}`);
        chronicle.note(`${call} ${machine.node} ends`, () => `${machine.node}: ${call} ${end()}`);
        watch.onDone(change, error);
      },
    };
    return [windowsOver({ ...line, machines: this.#machines, watcher })];
  }

  /** All that is asked and answered is judged. */
  services(pod: string, services: Services): Services {
    const onRequest = (subject: string, body: JsonObject): void => this.#watch.onRequest(pod, subject, body);
    const onAnswer = (answer: JsonObject): void => this.judgeText('an answer', JSON.stringify(answer) ?? '');
    const reported = async (answer: Promise<JsonObject>): Promise<JsonObject> => {
      try {
        const result = await answer;
        onAnswer(result);
        return result;
      } catch (error) {
        onAnswer({ ...toErrorData(error) });
        throw error;
      }
    };
    return {
      serve: (...service) => services.serve(...service),
      request(subject, body, deadlineAt, tracing) {
        onRequest(subject, body);
        return reported(services.request(subject, body, deadlineAt, tracing));
      },
      callLong(subject, body, options, tracing) {
        onRequest(subject, body);
        return reported(services.callLong(subject, body, options, tracing));
      },
    };
  }

  onChange(plural: string, change: Change): void {
    this.#watch.onChange(plural, change);
  }

  judgeText(where: string, text: string): void {
    this.#watch.judgeText(where, text);
  }

  get pending(): number {
    return this.#users.pending;
  }

  happens(happening: WindowsHappening): void {
    const { chronicle, weather, onTrouble, onChange } = this.#context;
    if (happening.what === 'thing') {
      this.#users.do(happening.deed, happening.thing);
      return;
    }
    onTrouble();
    chronicle.note(JSON.stringify(happening), () => `misfortune: ${JSON.stringify(happening)}`);
    switch (happening.what) {
      case 'windowsSecret':
        this.#doSecret(happening);
        return;
      case 'machineTrouble':
        weather.last('a Windows machine', happening.forMs);
        this.#machines.befall(happening.node, happening.problem, happening.forMs);
        return;
      case 'machineHand':
        void this.#hands.do(happening.deed, happening.node, happening.number).then(onChange, onChange);
        return;
    }
  }

  #doSecret({ deed, namespace, name, number }: SecretDone): void {
    const planned = this.#estate.secrets.find((each) => each.namespace === namespace && each.name === name);
    if (planned === undefined) return;
    const { opens } = planned;
    // What was mapped with the password of before does not work any more, and may be made anew by whoever needs it.
    if (deed === 'rotate' && 'share' in opens)
      for (const node of this.nodes) this.#watch.onBeforehandEnds(node, opens.share);
    void this.#users.doSecret({ deed, number }, planned).then(this.#context.onChange);
  }

  putRight(): void {
    this.#users.putRight();
  }

  /** Who is held tells by whom, and each life hears that anew. */
  isBusyUnseen(): boolean {
    // Each retry of an attempt is recorded, and the record is taken back when nothing was made.
    const isRetried = (object: KubeObject): boolean =>
      ATTEMPTED.has(object.kind) && reasonOf(object) === Reason.TransientError;
    return PLURALS.some((plural) =>
      this.#context.cluster
        .objects(plural)
        .some((object) => object.metadata.deletionTimestamp !== undefined || isRetried(object)),
    );
  }

  readonly unrest = async (): Promise<string | undefined> => {
    await this.#watch.judged();
    const why = await this.#rest.unrest();
    if (why === undefined) this.#watch.judgeRest();
    // What a machine does is told to nobody.
    if (why !== undefined) this.#context.onChange();
    return why;
  };

  readonly leftover = async (): Promise<string | undefined> => {
    await this.#watch.judged();
    for (const plural of PLURALS) {
      const [left] = this.#context.cluster.objects(plural);
      if (left === undefined) continue;
      const { namespace, name, finalizers = [] } = left.metadata;
      return `${left.kind} '${namespace}/${name}' is still there: ${finalizers.join(', ')} ${JSON.stringify(left.status)}`;
    }
    for (const machine of this.#machines.all) {
      const left = await this.#leftOn(machine);
      if (left !== undefined) this.#context.violate('S4', `on ${machine.node} ${left}, and all objects are gone`);
    }
    return undefined;
  };

  async #leftOn({ node, memory }: SimulatedMachine): Promise<string | undefined> {
    const { files, host } = memory;
    for (const [number, disk] of await seenOn(memory))
      if (disk.state === 'online' && this.#watch.historyOf(disk).onlineFor !== undefined)
        return `disk ${number} is online`;
    for (const root of this.#estate.shares)
      if ((await host.smb.isSmbMapped(root)) !== 'absent' && !this.#watch.isByHand(node, root))
        return `${root} is mapped`;
    const portals = await host.iscsi.listTargetPortals().catch(() => []);
    if (portals.length > 0 && !this.#watch.isByHand(node, PORTAL.address))
      return `the portal ${PORTAL.address} is left`;
    const names = (await files.look(DIRECTORY)).kind === 'absent' ? [] : await files.list(DIRECTORY);
    for (const name of names) {
      const path = `${DIRECTORY}\\${name}`;
      const { kind } = await files.look(path);
      if (kind !== 'directory' && !this.#watch.isByHand(node, path)) return `there is a ${kind} at ${path}`;
    }
    return undefined;
  }
}
