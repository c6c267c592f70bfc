// A tenant who means harm: thousands of objects in a namespace of his own, whose clouds are hostile, and everything that he
// may write in it: status, finalizers, Secrets, references to what is not his.

import { type KubeClient, kubeClient } from '../../../../adapters/kubernetes/mod.ts';
import { GROUP } from '../../../../adapters/openstack/mod.ts';
import { type Clock, type JsonObject, TroupeError } from '../../../../bus/mod.ts';
import { cloudsYamlFor, forkHostileCloud } from '../../../hostile/hostile-cloud.ts';
import { MANNER_NAMES, type MannerName } from '../../../hostile/manners.ts';
import type { World } from '../../../world/world.ts';
import type { Reporter } from '../../model.ts';
import { drawn, pick } from '../../random.ts';

export interface TenantDeps {
  world: World;
  clock: Clock;
  random: () => number;
  report: Reporter;
  /** Of an honest cloud: he guesses at its passwords. */
  honestCloud: string;
  /** Longest time between two of his deeds, in milliseconds. */
  paceMs: number;
}

/** What is his, or said by his clouds, says this. */
export const MARK = 'mallory';
/** Objects that he has at a time, at most. */
const OBJECTS = 400;
/** Written at a time. */
const BATCH = 10;
/** Secrets, so many for each way of being hostile. */
const SECRETS_EACH = 2;
const PASSWORD = `${MARK}-password`;
const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';

export class Tenant {
  readonly namespace: string;
  /** What he did, by its name. */
  readonly deeds = new Map<string, number>();
  readonly #deps: TenantDeps;
  readonly #client: KubeClient;
  readonly #cloud: Awaited<ReturnType<typeof forkHostileCloud>>;
  readonly #names: string[] = [];
  readonly #stop = new AbortController();
  #made = 0;
  #running: Promise<void> | undefined;

  private constructor(deps: TenantDeps, cloud: Awaited<ReturnType<typeof forkHostileCloud>>) {
    this.#deps = deps;
    this.#cloud = cloud;
    this.namespace = `${deps.world.prefix}-${MARK}`;
    this.#client = kubeClient({ clock: deps.clock, kubeconfig: deps.world.ground.kubeconfig });
  }

  static async settle(deps: TenantDeps): Promise<Tenant> {
    const tenant = new Tenant(deps, await forkHostileCloud());
    await deps.world.createNamespace(tenant.namespace);
    return tenant;
  }

  /** Objects that he has made so far. */
  get made(): number {
    return this.#made;
  }

  begin(): void {
    this.#running = this.#act();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#client.close();
    await this.#cloud.close();
  }

  async #act(): Promise<void> {
    const { clock, random, report, paceMs } = this.#deps;
    const each = (deed: (name: string) => Promise<void>) => (): Promise<void> => this.#each(deed);
    const held = ['mallory.example.org/held', `${GROUP}/port`];
    const deeds: readonly { readonly name: string; readonly weight: number; readonly deed: () => Promise<void> }[] = [
      { name: 'objects made', weight: 6, deed: () => this.#make() },
      { name: 'objects deleted', weight: 3, deed: each((name) => this.#delete(name)) },
      {
        name: 'specs edited',
        weight: 2,
        deed: each((name) => this.#merge(name, { spec: { resource: { description: MARK } } })),
      },
      { name: 'status forged', weight: 3, deed: each((name) => this.#forge(name)) },
      {
        name: 'finalizers taken off',
        weight: 2,
        deed: each((name) => this.#merge(name, { metadata: { finalizers: null } })),
      },
      {
        name: 'finalizers put on',
        weight: 1,
        deed: each((name) => this.#merge(name, { metadata: { finalizers: held } })),
      },
      { name: 'secrets changed', weight: 2, deed: () => this.#secret(pick(this.#secrets(), random) ?? '') },
      { name: 'references to others', weight: 2, deed: () => this.#refer() },
    ];
    for (const name of this.#secrets()) await this.#secret(name);
    report(MARK, `begins in ${this.namespace}`);
    while (!this.#stop.signal.aborted) {
      const chosen = drawn(deeds, random);
      if (chosen !== undefined) {
        await chosen.deed();
        this.deeds.set(chosen.name, (this.deeds.get(chosen.name) ?? 0) + 1);
      }
      await clock.sleep(random() * paceMs, this.#stop.signal);
    }
    report(
      MARK,
      `ends: ${this.#made} objects made; ${[...this.deeds].map(([what, count]) => `${what} ${count}`).join(', ')}`,
    );
  }

  /** Of the whole API server nothing but this is his. What is refused, or not heard, he tries again another time. */
  async #send(method: 'PATCH' | 'DELETE', path: string, body?: JsonObject, contentType = MERGE): Promise<void> {
    try {
      await this.#client.call({ method, path, ...(body !== undefined && { body, contentType }) });
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
    }
  }

  #path(plural: string, name: string): string {
    const root = plural === 'secrets' ? '/api/v1' : `/apis/${GROUP}/v1alpha1`;
    return `${root}/namespaces/${this.namespace}/${plural}/${name}`;
  }

  #apply(plural: string, manifest: JsonObject): Promise<void> {
    const { name } = manifest['metadata'] as { readonly name: string };
    return this.#send('PATCH', `${this.#path(plural, name)}?fieldManager=${MARK}&force=true`, manifest, APPLY);
  }

  #delete(name: string): Promise<void> {
    return this.#send('DELETE', this.#path('networks', name));
  }

  #merge(name: string, body: JsonObject): Promise<void> {
    return this.#send('PATCH', this.#path('networks', name), body);
  }

  /** To some of his objects, all at once. */
  async #each(deed: (name: string) => Promise<void>): Promise<void> {
    const { random } = this.#deps;
    const chosen = Array.from({ length: BATCH }, () => pick(this.#names, random)).flatMap((name) => name ?? []);
    await Promise.all([...new Set(chosen)].map(deed));
  }

  #secrets(): readonly string[] {
    const numbers = Array.from({ length: SECRETS_EACH }, (_, index) => index);
    return [...MANNER_NAMES, 'guessing'].flatMap((manner) => numbers.map((n) => `${manner.toLowerCase()}-${n}`));
  }

  /** Now and then it leads elsewhere, or holds nothing that could be read. */
  async #secret(name: string): Promise<void> {
    const { random, honestCloud } = this.#deps;
    const [own = ''] = name.split('-');
    const known = MANNER_NAMES.find((manner) => manner.toLowerCase() === own);
    const manner: MannerName | undefined = random() < 0.2 ? pick(MANNER_NAMES, random) : known;
    // Many URLs are many clouds.
    const url = manner === undefined ? honestCloud : `${this.#cloud.url}/${manner}/${Math.floor(random() * 50)}`;
    const text = random() < 0.05 ? `{{ ${MARK}`.repeat(20_000) : cloudsYamlFor(url, PASSWORD);
    await this.#apply('secrets', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      stringData: { 'clouds.yaml': text },
    });
  }

  async #make(): Promise<void> {
    const { random } = this.#deps;
    const names = Array.from({ length: BATCH }, () => `${MARK}-${this.#made++}`);
    await Promise.all(
      names.map((name) => {
        const secretName = pick(this.#secrets(), random) ?? '';
        const spec = {
          managementPolicy: 'managed',
          resource: {},
          cloudCredentialsRef: { secretName, cloudName: 'openstack' },
        };
        return this.#apply('networks', { apiVersion: `${GROUP}/v1alpha1`, kind: 'Network', metadata: { name }, spec });
      }),
    );
    this.#names.push(...names);
    const old = this.#names.splice(0, Math.max(0, this.#names.length - OBJECTS));
    await Promise.all(old.map((name) => this.#delete(name)));
  }

  /** With the id of what is another's, as if it were made and could be built on. */
  #forge(name: string): Promise<void> {
    const { world, random } = this.#deps;
    const ids = world.follower.all().flatMap(({ status }) => status?.id ?? []);
    const id = pick([...ids, '../..', '__proto__', MARK.repeat(200)], random) ?? '';
    const condition = { status: 'True', reason: 'Success', message: MARK, lastTransitionTime: '2026-01-01T00:00:00Z' };
    const conditions = [{ type: 'Available', ...condition, observedGeneration: 1 }];
    return this.#send('PATCH', `${this.#path('networks', name)}/status`, { status: { id, conditions } });
  }

  /** To names that are there in other namespaces. */
  async #refer(): Promise<void> {
    const { world, random } = this.#deps;
    const other = pick(world.follower.all(), random)?.metadata.name ?? 'nobody';
    const name = `${MARK}-${this.#made++}`;
    const type = { apiVersion: `${GROUP}/v1alpha1`, metadata: { name } };
    await this.#apply('routerinterfaces', {
      ...type,
      kind: 'RouterInterface',
      spec: { type: 'Subnet', routerRef: other, subnetRef: other },
    });
    const cloudCredentialsRef = { secretName: pick(this.#secrets(), random) ?? '', cloudName: 'openstack' };
    const resource = { networkRef: other, ipVersion: 4, cidr: '10.0.0.0/24' };
    await this.#apply('subnets', {
      ...type,
      kind: 'Subnet',
      spec: { managementPolicy: 'managed', resource, cloudCredentialsRef },
    });
  }
}
