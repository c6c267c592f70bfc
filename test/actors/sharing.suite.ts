// One external resource is one object's, end to end: objects of one name in two namespaces with the same credentials, on any API
// server, bus and cloud.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { resourcePath, SECRETS } from '../../adapters/kubernetes/mod.ts';
import { AbsentError, type JsonObject } from '../../bus/mod.ts';
import type { OpenGround } from '../world/environments.ts';
import type { Raw } from '../world/watched-objects.ts';
import { CREDENTIALS, checkIn, condition, isDone, type Kind, resourceOf, said, type World } from '../world/world.ts';

/** The world's own namespace, or the other one, with the same credentials unless stated. */
class Place {
  readonly namespace: string;
  readonly #world: World;

  constructor(world: World, namespace: string) {
    this.#world = world;
    this.namespace = namespace;
  }

  async apply(manifest: JsonObject): Promise<Raw> {
    const { kind, metadata } = manifest as { readonly kind: Kind; readonly metadata: { readonly name: string } };
    const { body } = await this.#world.client.call({
      method: 'PATCH',
      path: `${this.#path(kind, metadata.name)}?fieldManager=kubectl&force=true`,
      contentType: 'application/apply-patch+yaml',
      body: { ...manifest, metadata: { ...metadata, namespace: this.namespace } },
    });
    return body as unknown as Raw;
  }

  secret(cloudsYaml: string): Promise<Raw> {
    const stringData = { 'clouds.yaml': cloudsYaml };
    return this.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: CREDENTIALS }, stringData });
  }

  async read(kind: Kind, name: string): Promise<Raw | undefined> {
    try {
      return (await this.#world.client.call({ method: 'GET', path: this.#path(kind, name) })).body as unknown as Raw;
    } catch (error) {
      if (error instanceof AbsentError) return undefined;
      throw error;
    }
  }

  async delete(kind: Kind, name: string): Promise<void> {
    await this.#world.client.call({ method: 'DELETE', path: this.#path(kind, name) });
  }

  async writeId(kind: Kind, name: string, id: unknown): Promise<void> {
    const path = `${this.#path(kind, name)}/status`;
    const body = { status: { id: id as string } };
    await this.#world.client.call({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
  }

  async until(kind: Kind, name: string, what: string, isSo: (object: Raw) => boolean): Promise<Raw> {
    let found: Raw | undefined;
    await this.#world.eventually(`${kind} ${this.namespace}/${name} is ${what}`, async () => {
      found = await this.read(kind, name);
      if (found !== undefined && isSo(found)) return undefined;
      return found === undefined ? 'there is none' : JSON.stringify(said(found));
    });
    return found as Raw;
  }

  available(kind: Kind, name: string): Promise<Raw> {
    const isAvailable = (object: Raw): boolean => isDone(object) && condition(object, 'Available').status === 'True';
    return this.until(kind, name, 'available', isAvailable);
  }

  /** It says that the object of that name elsewhere has its resource, and has recorded none. */
  refused(kind: Kind, name: string, by: string): Promise<Raw> {
    return this.until(kind, name, `refused by ${by}`, (object) => {
      const { reason, message } = condition(object, 'Progressing');
      return reason === 'Progressing' && message.includes(`${kind} ${by} to be deleted`) && idOf(object) === undefined;
    });
  }

  gone(kind: Kind, name: string): Promise<void> {
    return this.#world.eventually(`${kind} ${this.namespace}/${name} is gone`, async () => {
      const object = await this.read(kind, name);
      return object && JSON.stringify(said(object));
    });
  }

  #path(kind: Kind, name: string): string {
    return resourcePath(kind === 'Secret' ? SECRETS : resourceOf(kind), this.namespace, name);
  }
}

function idOf({ status }: Raw): unknown {
  return status?.['id'];
}

/** The world's own namespace and another one. */
async function twoPlaces(world: World): Promise<readonly [Place, Place]> {
  const other = new Place(world, world.name('other'));
  await world.createNamespace(other.namespace);
  await other.secret(world.ground.cloudsYaml);
  return [new Place(world, world.namespace), other];
}

/** A namespace whose credentials name the same cloud by another URL; undefined: there is none. */
async function byAnotherUrl(world: World): Promise<Place | undefined> {
  const { wire, cloudsYaml, simulator } = world.ground;
  if (wire === undefined || simulator === undefined) return undefined;
  const alias = 'http://alias.test';
  wire.serve(alias, simulator.handle);
  const place = new Place(world, world.name('alias'));
  await world.createNamespace(place.namespace);
  await place.secret(cloudsYaml.replaceAll(new URL(simulator.authUrl).origin, alias));
  return place;
}

const idsOf = (resources: readonly JsonObject[]): readonly unknown[] => resources.map(({ id }) => id);

export function describeSharing(test: Test, openGround: OpenGround): void {
  const check = checkIn(test, openGround);

  check(
    'the second of two networks of one name says whose the resource is, and leaves it alone to its end',
    async (world) => {
      const [here, there] = await twoPlaces(world);
      const twin = world.managed('Network', world.name('twin'));
      const name = world.name('twin');
      await here.apply(twin);
      const first = await here.available('Network', name);
      await there.apply(twin);
      const second = await there.refused('Network', name, `${here.namespace}/${name}`);
      assert.is(condition(second, 'Available').status, 'False');
      await there.delete('Network', name);
      await there.gone('Network', name);
      assert.equal(idsOf(await world.contents('networks')), [idOf(first)]);
      await here.delete('Network', name);
      await here.gone('Network', name);
      assert.equal(await world.contents('networks'), []);
    },
  );

  check('33.B8: the same holds where the two reach their cloud by different URLs (OWNERSHIP-6)', async (world) => {
    const here = new Place(world, world.namespace);
    const there = await byAnotherUrl(world);
    if (there === undefined) return;
    const name = world.name('twin');
    await here.apply(world.managed('Network', name));
    const first = await here.available('Network', name);
    await there.apply(world.managed('Network', name));
    await there.refused('Network', name, `${here.namespace}/${name}`);
    await there.delete('Network', name);
    await there.gone('Network', name);
    assert.equal(idsOf(await world.contents('networks')), [idOf(first)]);
    await there.apply(world.managed('Network', name));
    await there.refused('Network', name, `${here.namespace}/${name}`);
    await here.delete('Network', name);
    await here.gone('Network', name);
    const second = await there.available('Network', name);
    assert.is.not(idOf(second), idOf(first));
  });

  check('of two networks of one name that are made at once one is made', async (world) => {
    const [here, there] = await twoPlaces(world);
    const names = Array.from({ length: 8 }, (_, index) => world.name(`twin-${index}`));
    await Promise.all(
      names.flatMap((name) => [here, there].map((place) => place.apply(world.managed('Network', name)))),
    );
    for (const name of names) {
      const isDecided = async (): Promise<string | undefined> => {
        const both = await Promise.all([here, there].map((place) => place.read('Network', name)));
        const words = both.map((object) => object && condition(object, 'Progressing').message);
        const isOver =
          words.some((text) => /up to date/.test(text ?? '')) &&
          words.some((text) => /to be deleted, which has/.test(text ?? ''));
        return isOver ? undefined : JSON.stringify(words);
      };
      await world.eventually(`one of '${name}' is made, and one refused`, isDecided);
    }
    assert.equal((await world.contents('networks')).map(({ name }) => name).sort(), [...names].sort());
  });

  check('when its owner goes, the other makes its own, or takes what was left', async (world) => {
    const [here, there] = await twoPlaces(world);
    const name = world.name('twin');
    await here.apply(world.managed('Network', name));
    const first = await here.available('Network', name);
    await there.apply(world.managed('Network', name));
    await there.refused('Network', name, `${here.namespace}/${name}`);
    await here.delete('Network', name);
    await here.gone('Network', name);
    const second = await there.available('Network', name);
    assert.is.not(idOf(second), idOf(first));
    // Now the other way round, and the resource stays.
    await here.apply(world.managed('Network', name));
    await here.refused('Network', name, `${there.namespace}/${name}`);
    await there.apply(world.managed('Network', name, {}, { managedOptions: { onDelete: 'detach' } }));
    await there.delete('Network', name);
    await there.gone('Network', name);
    const third = await here.available('Network', name);
    assert.is(idOf(third), idOf(second));
  });

  check('an id that somebody writes into a status takes nothing away from whoever has it', async (world) => {
    const [here, there] = await twoPlaces(world);
    const [mine, theirs] = [world.name('mine'), world.name('theirs')];
    // The forger is older.
    await there.apply(world.managed('Network', theirs));
    const own = await there.available('Network', theirs);
    await here.apply(world.managed('Network', mine));
    const victim = await here.available('Network', mine);
    await there.writeId('Network', theirs, idOf(victim));
    await there.until('Network', theirs, 'its own again', (object) => idOf(object) === idOf(own) && isDone(object));
    await there.writeId('Network', theirs, idOf(victim));
    await there.delete('Network', theirs);
    await there.gone('Network', theirs);
    const kept = await here.available('Network', mine);
    assert.is(idOf(kept), idOf(victim));
    assert.ok(idsOf(await world.contents('networks')).includes(idOf(victim)));
  });

  check(
    'who cannot get at a resource is nobody’s rival, whatever id he writes down, and however old he is',
    async (world) => {
      const here = new Place(world, world.namespace);
      const wrong = world.ground.cloudsYaml.replace(/password:.*/, 'password: guessed');
      for (const [index, cloudsYaml] of [wrong, '{{ nonsense'].entries()) {
        const there = new Place(world, world.name(`other-${index}`));
        await world.createNamespace(there.namespace);
        await there.secret(cloudsYaml);
        const [mine, theirs] = [world.name(`mine-${index}`), world.name(`theirs-${index}`)];
        await there.apply(world.managed('Network', theirs));
        await there.until('Network', theirs, 'in trouble', (object) =>
          /credentials/.test(condition(object, 'Progressing').message),
        );
        await here.apply(world.managed('Network', mine));
        const victim = await here.available('Network', mine);
        // Who hosts them anew does not know whose hand it was.
        await world.stop();
        await there.writeId('Network', theirs, idOf(victim));
        await world.start();
        await here.delete('Network', mine);
        await here.gone('Network', mine);
        assert.equal(await world.contents('networks'), []);
      }
    },
  );

  check('what one object manages, others may import', async (world) => {
    const [here, there] = await twoPlaces(world);
    const name = world.name('twin');
    await here.apply(world.managed('Network', name));
    const owner = await here.available('Network', name);
    await there.apply(world.unmanaged('Network', name, { filter: { name } }));
    await there.apply(world.unmanaged('Network', world.name('by-id'), { id: idOf(owner) as string }));
    assert.is(idOf(await there.available('Network', name)), idOf(owner));
    assert.is(idOf(await there.available('Network', world.name('by-id'))), idOf(owner));
    await there.delete('Network', name);
    await there.gone('Network', name);
    assert.equal(idsOf(await world.contents('networks')), [idOf(owner)]);
  });

  check(
    '33.D1a: an interface beside the one that a subnet has shares that, and does not take it away',
    async (world) => {
      const [network, subnet, router] = ['net', 'sub', 'router'].map((suffix) => world.name(suffix)) as [
        string,
        string,
        string,
      ];
      const here = new Place(world, world.namespace);
      await here.apply(world.managed('Network', network));
      await here.apply(world.managed('Router', router));
      const spec = { networkRef: network, ipVersion: 4, cidr: '10.9.0.0/24', routerRef: router };
      await here.apply(world.managed('Subnet', subnet, spec));
      await here.available('Subnet', subnet);
      const own = (await world.plugs(idOf(await here.available('Router', router))))[0];
      const { apiVersion = '' } = world.object('Router', router, {});
      const twice = world.name('twice');
      const plug = { type: 'Subnet', routerRef: router, subnetRef: subnet };
      await here.apply({ apiVersion, kind: 'RouterInterface', metadata: { name: twice }, spec: plug });
      await here.available('RouterInterface', twice);
      await here.delete('RouterInterface', twice);
      await here.gone('RouterInterface', twice);
      const [left, ...others] = await world.plugs(idOf(await here.available('Router', router)));
      assert.is(left?.['id'], own?.['id']);
      assert.is(others.length, 0);
    },
  );

  check(
    '33.D1a: role assignments of one namespace share what they stand for, and it goes with the last',
    async (world) => {
      const here = new Place(world, world.namespace);
      const [role, user, project, one, two] = ['role', 'user', 'project', 'one', 'two'].map((each) =>
        world.name(each),
      ) as [string, string, string, string, string];
      await here.apply(world.managed('Role', role));
      await here.apply(world.managed('Project', project));
      await here.apply(world.managed('User', user));
      const spec = { roleRef: role, userRef: user, projectRef: project };
      for (const name of [one, two]) await here.apply(world.managed('RoleAssignment', name, spec));
      for (const name of [one, two]) await here.available('RoleAssignment', name);
      const userId = String(idOf(await here.available('User', user)));
      const given = async (): Promise<number> => (await world.listed('role_assignments', [['user.id', userId]])).length;
      const before = await given();
      await here.delete('RoleAssignment', one);
      await here.gone('RoleAssignment', one);
      assert.is(await given(), before);
      await here.available('RoleAssignment', two);
      await here.delete('RoleAssignment', two);
      await here.gone('RoleAssignment', two);
      assert.is(await given(), before - 1);
    },
  );

  check(
    '33.D1a: two interfaces between one router and one subnet are both Available; the plug goes with the last',
    async (world) => {
      const here = new Place(world, world.namespace);
      const [network, subnet, router] = ['net', 'sub', 'router'].map((each) => world.name(each)) as [
        string,
        string,
        string,
      ];
      await here.apply(world.managed('Network', network));
      await here.apply(world.managed('Router', router));
      await here.apply(world.managed('Subnet', subnet, { networkRef: network, ipVersion: 4, cidr: '10.9.0.0/24' }));
      const [routerId, subnetId] = [
        idOf(await here.available('Router', router)),
        idOf(await here.available('Subnet', subnet)),
      ];
      // By imports, as two teams would.
      const [otherRouter, otherSubnet] = [world.name('imported-router'), world.name('imported-sub')];
      await here.apply(world.unmanaged('Router', otherRouter, { id: String(routerId) }));
      await here.apply(world.unmanaged('Subnet', otherSubnet, { id: String(subnetId) }));
      const { apiVersion = '' } = world.object('Router', router, {});
      const plugs: readonly (readonly [string, string, string])[] = [
        [world.name('one'), router, subnet],
        [world.name('two'), otherRouter, otherSubnet],
        [world.name('three'), router, otherSubnet],
      ];
      const plug = async ([name, routerRef, subnetRef]: readonly [string, string, string]): Promise<void> => {
        const spec = { type: 'Subnet', routerRef, subnetRef };
        await here.apply({ apiVersion, kind: 'RouterInterface', metadata: { name }, spec });
      };
      await Promise.all(plugs.map(plug));
      for (const [name] of plugs) await here.available('RouterInterface', name);
      assert.is((await world.plugs(routerId)).length, 1);
      // The plug stays with whoever is left.
      await here.delete('RouterInterface', world.name('one'));
      await here.gone('RouterInterface', world.name('one'));
      assert.is((await world.plugs(routerId)).length, 1);
      await here.available('RouterInterface', world.name('two'));
      // The last two go at once.
      await Promise.all([world.name('two'), world.name('three')].map((name) => here.delete('RouterInterface', name)));
      await here.gone('RouterInterface', world.name('two'));
      await here.gone('RouterInterface', world.name('three'));
      assert.equal(await world.plugs(routerId), []);
    },
  );

  check('two that share a resource from before are told apart by age, whoever looks first', async (world) => {
    const [here, there] = await twoPlaces(world);
    const [older, younger] = [world.name('older'), world.name('younger')];
    await there.apply(world.managed('Network', older));
    const shared = await there.available('Network', older);
    // Whole seconds: of one second the uid decides.
    await world.clock.sleep(1_100);
    await here.apply(world.managed('Network', younger));
    const own = await here.available('Network', younger);
    await world.stop();
    await here.writeId('Network', younger, idOf(shared));
    await world.start();
    await here.until('Network', younger, 'its own again', (object) => idOf(object) === idOf(own) && isDone(object));
    assert.is(idOf(await there.available('Network', older)), idOf(shared));
  });
}

/** With a simulated cloud, whose answers can be late. */
export function describeLateAnswers(test: Test, openGround: OpenGround): void {
  const check = checkIn(test, openGround);

  check(
    'what an object has only found stays when somebody writes another id into its status meanwhile (EXTERNAL-RESOURCE-9)',
    async (world) => {
      const here = new Place(world, world.namespace);
      const [name, other] = [world.name('found'), world.name('restored')];
      const { drift, faults, projectId } = world.simulator;
      const network = { status: 'ACTIVE', project_id: projectId };
      const found = drift.add('networks', { ...network, name });
      const restored = drift.add('networks', { ...network, name: other });
      const look = faults.inject({ match: { method: 'GET', path: /\/networks/ }, delayMs: 2_000 });
      await here.apply(world.managed('Network', name));
      await world.eventually('it is looked for', () => (look.hits > 0 ? undefined : 'nobody looks'));
      await here.writeId('Network', name, restored);
      await here.available('Network', name);
      assert.equal(idsOf(await world.contents('networks')).toSorted(), [found, restored].sort());
    },
  );
}
