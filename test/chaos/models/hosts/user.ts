// Users of hosts, who change them all the time: they give them images and take them away, switch them, take them out of Ironic,
// delete them and create them again, each in one of the versions or now in one, now in the other. What is wished is written down
// before it is, and what is seen to be done is wished no more.
import type { Version } from '../../../../adapters/ironic/api/definitions.ts';
import { GROUP } from '../../../../adapters/ironic/api/types.ts';
import { ErrorCode, type JsonObject, TroupeError } from '../../../../bus/mod.ts';
import { type BareMetalHost, HostAnnotation, type HostSpec } from '../../../../machines/bare-metal-host/host.ts';
import { isDetached, unrestOf } from '../../../adapters/ironic/host-rest.ts';
import type { World } from '../../../world/world.ts';
import type { Run } from '../../model.ts';
import { drawn, pick } from '../../random.ts';
import { IMAGES, type Rack, USERNAME } from './racks.ts';
import type { Ironic, Sight } from './simulated-ironic.ts';
import { type HostWish, wishesOf, wishesOfDeletion, wishesOfImage, wishesOfNew, wishesOfReboot } from './wishes.ts';
import { specIn, Writings } from './writings.ts';

export interface HostUserDeps extends Pick<Run, 'clock' | 'random' | 'attempt' | 'violate' | 'passwords'> {
  world: World;
  racks: readonly Rack[];
  ironic: Ironic;
}

/** Something that a user does with a host that is there. */
interface HostDeed {
  readonly weight: number;
  readonly what: string;
  readonly wishes: readonly HostWish[];
  /** Of the spec. */
  readonly change: HostSpec;
  run(version: Version): Promise<unknown>;
}

/** So many times as often as another one is a host with images thought of. */
const IMAGES_WEIGHT = 3;
/** So often is a host left alone that is not yet as it was asked to be. */
const PATIENCE = 0.6;
/** A deleted host is not created again for so long, at most, in milliseconds. */
const RESTS_MS = 6_000;
const MERGE = 'application/merge-patch+json';
/** In which hosts are looked at, as actors do it. */
const READ_IN: Version = 'v1alpha1';

export class HostUser {
  readonly #deps: HostUserDeps;
  readonly #resting = new Map<string, number>();
  readonly #writings = new Writings();
  #reboots = 0;
  /** What was done with hosts so far. */
  deeds = 0;

  constructor(deps: HostUserDeps) {
    this.#deps = deps;
  }

  /** Does one thing, unless the API server is away. */
  async step(): Promise<void> {
    const { clock, random, racks } = this.#deps;
    const deck = racks.map((rack) => ({ rack, weight: rack.use === 'images' ? IMAGES_WEIGHT : 1 }));
    const rack = drawn(deck, random)?.rack;
    if (rack === undefined) return;
    await this.#deps.attempt(`looks at host ${rack.name}`, async () => {
      const host = await this.#read(rack);
      if (host !== undefined) await this.#change(rack, host);
      else if ((this.#resting.get(rack.name) ?? 0) <= clock.now()) await this.#create(rack);
      return false;
    });
  }

  async #change(rack: Rack, host: BareMetalHost): Promise<void> {
    const { random } = this.#deps;
    await this.#compare(rack, host);
    if (host.metadata?.deletionTimestamp != null) return;
    await this.#reconcile(rack);
    const isSettled = await this.#isSettled(rack, host);
    if (!isSettled && random() < PATIENCE) return;
    const deed = drawn(this.#deedsOf(rack, host), random);
    if (deed === undefined) return;
    if (isSettled) this.#orders.note({ what: 'settled', host: this.nodeOf(rack) });
    this.wish(rack, deed.wishes);
    if (await this.#does(rack, deed)) this.deeds++;
  }

  /** What is missing is created, and what is wrong with Secrets put right. @returns what is not yet as asked for */
  async completeAll(): Promise<readonly string[]> {
    const { racks, ironic } = this.#deps;
    const wrong: string[] = [];
    const sight = await ironic.look();
    for (const rack of racks) {
      const outcome = await this.#deps.attempt(`looks at host ${rack.name}`, async () => {
        const host = await this.#read(rack);
        if (host === undefined) await this.#create(rack);
        else await this.#reconcile(rack);
        const unrest = host === undefined ? `host '${rack.name}' is not there` : this.#unrestOf(rack, host, sight);
        if (unrest !== undefined) wrong.push(unrest);
        return false;
      });
      if (outcome !== 'done') wrong.push(`the API server is away, and host '${rack.name}' was not looked at`);
    }
    return wrong;
  }

  /** All Secrets say what the BMCs ask for; hosts are on, have an image if they are for that, and are in Ironic unless they began detached. */
  async putRight(): Promise<void> {
    for (const rack of this.#deps.racks) {
      await this.#deps.attempt(`looks at host ${rack.name}`, async () => {
        const host = await this.#read(rack);
        if (host === undefined || host.metadata?.deletionTimestamp != null) return false;
        await this.writeSecret(rack);
        const image = rack.use === 'images' ? { image: (host.spec?.image ?? IMAGES[0]) as JsonObject } : {};
        const spec: JsonObject = { online: true, ...image };
        const isOut = isDetached(rack.manifest as BareMetalHost);
        const annotations = isOut ? {} : { [HostAnnotation.Detached]: null };
        this.wish(rack, wishesOf(host, { ...host.spec, ...(spec as HostSpec) }));
        await this.#does(rack, {
          what: `puts host ${rack.name} right`,
          change: spec as HostSpec,
          run: (version) => this.#merge(rack.name, version, { metadata: { annotations }, spec: specIn(version, spec) }),
        });
        return false;
      });
    }
  }

  /** All hosts are about to be deleted. */
  async wishAllGone(): Promise<void> {
    for (const rack of this.#deps.racks) {
      const host = await this.#read(rack);
      if (host === undefined) continue;
      await this.#compare(rack, host);
      if (await this.#isSettled(rack, host)) this.#orders.note({ what: 'settled', host: this.nodeOf(rack) });
      this.wish(rack, wishesOfDeletion(host));
    }
  }

  /** Ironic has lost all nodes: what objects do not say to be done may be done again. */
  wishAgain(): void {
    const { racks, world } = this.#deps;
    for (const rack of racks) {
      const host = world.follower.get('BareMetalHost', rack.name) as BareMetalHost | undefined;
      if (host !== undefined) this.wish(rack, wishesOf(host));
    }
  }

  /** As Ironic has it. */
  nodeOf({ name }: Rack): string {
    return `${this.#deps.world.namespace}~${name}`;
  }

  wish(rack: Rack, wishes: readonly HostWish[]): void {
    for (const { wish, image } of wishes) this.#orders.wished(this.nodeOf(rack), wish, image);
  }

  async writeSecret({ name, secret }: Rack): Promise<void> {
    const { world, passwords } = this.#deps;
    const write = (): Promise<void> => world.secret(secret, { username: USERNAME, password: passwords.of(name) });
    await this.#deps.attempt(`writes Secret/${secret}`, write);
  }

  get #orders(): Ironic['orders'] {
    return this.#deps.ironic.orders;
  }

  #deedsOf(rack: Rack, host: BareMetalHost): readonly HostDeed[] {
    const { name, use } = rack;
    const spec = host.spec ?? {};
    const edit = (what: string, weight: number, change: HostSpec): HostDeed => {
      const next = { ...spec, ...change };
      const wishes = 'image' in change ? wishesOfImage(next) : wishesOf(host, next);
      const run: HostDeed['run'] = (version) => this.#merge(name, version, { spec: specIn(version, change) });
      return { weight, what: `${what} host ${name}`, wishes, change, run };
    };
    const annotate = (
      what: string,
      weight: number,
      annotations: Readonly<Record<string, string | null>>,
      wishes: readonly HostWish[],
    ): HostDeed => ({
      weight,
      what: `${what} host ${name}`,
      wishes,
      change: {},
      run: (version) => this.#merge(name, version, { metadata: { annotations } }),
    });
    const images = IMAGES.filter(({ url }) => url !== spec.image?.url).map(({ url, ...image }) =>
      edit(`gives image ${String(url).slice(-5)} to`, 3, { image: { url, ...image } as HostSpec['image'] }),
    );
    const reboot = ['', '{"mode":"hard"}'][this.#reboots++ % 2] ?? '';
    return [
      ...(use === 'images' ? images : []),
      ...(spec.image == null ? [] : [edit('takes the image away from', 2, { image: null })]),
      spec.online === true ? edit('switches off', 1, { online: false }) : edit('switches on', 3, { online: true }),
      annotate('reboots', 1, { [HostAnnotation.Reboot]: reboot }, wishesOfReboot(host)),
      isDetached(host)
        ? annotate('attaches', 8, { [HostAnnotation.Detached]: null }, wishesOf(host))
        : annotate('detaches', 0.5, { [HostAnnotation.Detached]: '' }, [{ wish: 'removal' }]),
      {
        weight: 1,
        what: `deletes host ${name}`,
        wishes: wishesOfDeletion(host),
        change: {},
        run: (version) => this.#delete(rack, version),
      },
    ];
  }

  /** With its Secret, which went with the one before, and after what is asked of it is known. */
  async #create(rack: Rack): Promise<void> {
    const { world } = this.#deps;
    const { name, manifest, disks } = rack;
    const version = this.#versionFor(rack);
    const spec = manifest['spec'] as HostSpec;
    const node = this.nodeOf(rack);
    const sight = await this.#deps.ironic.look();
    if (sight?.nodes.some((each) => each.name === node)) this.#orders.note({ what: 'left', host: node });
    await this.writeSecret(rack);
    this.#orders.note({ what: 'born', host: node, disks });
    this.wish(rack, wishesOfNew(manifest as BareMetalHost));
    const body = { ...manifest, apiVersion: `${GROUP}/${version}`, spec: specIn(version, spec) };
    const create = (): Promise<unknown> => world.client.call({ method: 'POST', path: hostPath(world, version), body });
    const isDone = (await this.#deps.attempt(`creates host ${name} in ${version}`, create)) === 'done';
    this.#writings.created(name, { born: version, spec }, isDone ? 'done' : 'unknown');
    if (isDone) this.deeds++;
  }

  /** In a version that the rack is for. @returns whether it was done, as far as is known */
  async #does(rack: Rack, { what, change, run }: Pick<HostDeed, 'what' | 'change' | 'run'>): Promise<boolean> {
    const version = this.#versionFor(rack);
    const isDone = (await this.#deps.attempt(`${what} in ${version}`, () => run(version))) === 'done';
    this.#writings.changed(rack.name, change, isDone ? 'done' : 'unknown');
    return isDone;
  }

  #versionFor({ versions }: Rack): Version {
    return pick(versions, this.#deps.random) ?? READ_IN;
  }

  /** Whether the host reads as it was written, in both versions. */
  async #compare(rack: Rack, host: BareMetalHost): Promise<void> {
    const other = await this.#read(rack, 'v1beta1');
    for (const [version, { spec }] of [[READ_IN, host] as const, ['v1beta1', other ?? {}] as const]) {
      const wrong = spec == null ? undefined : this.#writings.read(rack.name, version, spec as JsonObject);
      if (wrong !== undefined) this.#deps.violate(wrong);
    }
  }

  /** A Secret that went with a host of an earlier life. */
  async #reconcile(rack: Rack): Promise<void> {
    if (this.#deps.world.follower.get('Secret', rack.secret) === undefined) await this.writeSecret(rack);
  }

  async #delete({ name }: Rack, version: Version): Promise<void> {
    const { clock, random, world } = this.#deps;
    this.#resting.set(name, clock.now() + random() * RESTS_MS);
    await world.client.call({ method: 'DELETE', path: hostPath(world, version, name) });
  }

  /** All is as asked for, and whoever cares for it knows what is. */
  async #isSettled(rack: Rack, host: BareMetalHost): Promise<boolean> {
    const sight = await this.#deps.ironic.look();
    return this.#unrestOf(rack, host, sight) === undefined;
  }

  #unrestOf(rack: Rack, host: BareMetalHost, sight: Sight | undefined): string | undefined {
    const machine = sight?.machines.find(({ name }) => name === rack.name);
    if (sight === undefined || machine === undefined) return `Ironic is away, and host '${rack.name}' not looked at`;
    const { power, written } = machine;
    const node = sight.nodes.find(({ name }) => name === this.nodeOf(rack));
    return unrestOf({ host, state: node?.state, power, written });
  }

  async #read({ name }: Rack, version: Version = READ_IN): Promise<BareMetalHost | undefined> {
    const { world } = this.#deps;
    try {
      return (await world.client.call({ method: 'GET', path: hostPath(world, version, name) })).body as BareMetalHost;
    } catch (error) {
      if (error instanceof TroupeError && error.code === ErrorCode.Absent) return undefined;
      throw error;
    }
  }

  #merge(name: string, version: Version, body: JsonObject): Promise<unknown> {
    const { world } = this.#deps;
    return world.client.call({ method: 'PATCH', path: hostPath(world, version, name), contentType: MERGE, body });
  }
}

export function hostPath({ namespace }: Pick<World, 'namespace'>, version: Version, name?: string): string {
  const hosts = `/apis/${GROUP}/${version}/namespaces/${namespace}/baremetalhosts`;
  return name === undefined ? hosts : `${hosts}/${name}`;
}
