// No secret of any kind on the bus, in a log, an event, an object or a figure (I5): a landscape with objects of all kinds comes up,
// is refused by a cloud that quotes what it was sent, is edited, and goes.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { Role } from '../../actors/base/config.ts';
import { type ImageHost, startImageHost } from '../../actors/cli/demo/images.ts';
import { type LandscapeObject, readLandscape, SECRET_KEY } from '../../actors/cli/demo/landscape.ts';
import { metrics } from '../../actors/observability/metrics.ts';
import { openstackContracts, REALM } from '../../adapters/openstack/mod.ts';
import type { JsonObject } from '../../bus/mod.ts';
import type { OpenGround } from '../world/environments.ts';
import { CREDENTIALS, checkIn, type Kind, type World } from '../world/world.ts';
import { type Looked, listen, searchAll, spellings } from './secret-search.ts';

const FOLDER = new URL('../../deploy/samples/company-cloud/', import.meta.url);
/** What every token of the simulated Keystone begins with. */
const TOKEN = 'gAAAAAB';
const SECRET_PREFIX = 'secret/';

export function describeKindsSecrets(test: Test, openGround: OpenGround): void {
  checkIn(test, openGround)(
    'what objects of all kinds take from Secrets is told nowhere, whatever goes wrong (I5)',
    async (world) => {
      const wire = await listen(world);
      const host = await startImageHost();
      const figures = metrics({ clock: world.clock });
      let end = async (): Promise<void> => undefined;
      try {
        // Where there is a wire, what is asked of the adapter goes over it.
        const isShared = world.ground.nats !== undefined;
        await world.start({ metrics: figures, ...(isShared && { roles: new Set(Object.values(Role)) }) });
        if (isShared) end = await world.startAnother({ roles: new Set([REALM]), metrics: figures });
        const play = new Play(world, host, await readLandscape(FOLDER, world.runtime?.kinds ?? []));
        const search = async (): Promise<Looked> =>
          searchAll(world, spellings(play.secrets), wire, (await figures.text()).body);
        await play.comeUp();
        await search();
        await play.edit();
        const looked = await search();
        for (const [place, count] of Object.entries(looked))
          if (isShared || !['wire', 'kept'].includes(place)) assert.ok(count > 0, `nothing to look at in '${place}'`);
        if (isShared)
          assert.ok(
            wire.messages.some((line) => /^\S*openstack\S*servers\S*create/.test(line)),
            'no call on the wire',
          );
        await world.deleteNamespace();
        await world.namespaceGone();
        await searchAll(world, spellings(play.secrets), wire, (await figures.text()).body);
      } finally {
        await end();
        await host.close();
        await wire.close();
      }
    },
    { runtime: 'stopped', credentials: 'absent', logLevel: 'trace' },
  );
}

class Play {
  readonly secrets: string[] = [TOKEN];
  readonly #world: World;
  readonly #objects: readonly LandscapeObject[];
  /** Content of each Secret that objects refer to, by its name. */
  readonly #contents = new Map<string, string>();

  constructor(world: World, host: ImageHost, { first, later }: Awaited<ReturnType<typeof readLandscape>>) {
    this.#world = world;
    this.#objects = [...first, ...later]
      .filter(({ kind }) => kind !== 'Secret')
      .map((object) => host.localized(object));
    const kinds = new Set(this.#objects.map(({ kind }) => kind));
    for (const { kind } of openstackContracts) assert.ok(kinds.has(kind), `the landscape has no ${kind}`);
    // One content for all of a sort: whichever of them a fault hits was sent what the fault quotes.
    const contents = new Map<string, string>();
    for (const key of new Set(this.#objects.flatMap(({ references }) => references))) {
      if (!key.startsWith(SECRET_PREFIX) || key === SECRET_KEY) continue;
      const name = key.slice(SECRET_PREFIX.length);
      const sort = name.slice(name.lastIndexOf('-'));
      const content = contents.get(sort) ?? this.#secret();
      contents.set(sort, content);
      this.#contents.set(name, content);
    }
    assert.is(contents.size, 3, 'passwords, user data, and a credential of an application');
  }

  /** A new one, with characters that JSON, URLs and base64 spell in another way. */
  #secret(): string {
    const random = Math.floor(this.#world.clock.random() * 2 ** 48).toString(36);
    const secret = `Pw/"${random}+é&Seeded`;
    this.secrets.push(secret);
    return secret;
  }

  /** Once each of those that take something from a Secret was refused, in words that quote what was sent. */
  async comeUp(): Promise<void> {
    const world = this.#world;
    const network_id = await world.outside('public', { 'router:external': true });
    await world.cloud('POST', '/subnets', { subnet: { network_id, ip_version: 4, cidr: '198.51.100.0/24' } });
    await this.#openCloud();
    const faults = [
      this.#refuse('identity', /\/users$/, 400, 'shop-deployer-password'),
      this.#refuse('identity', /\/application_credentials$/, 403, 'backup-login'),
      this.#refuse('compute', /\/servers$/, 500, 'web-user-data'),
    ];
    // One Secret has the right content under a wrong key at first.
    const wrong = 'monitoring-password';
    await world.secret(wrong, { passphrase: this.#contents.get(wrong) ?? '' });
    for (const [name, content] of this.#contents)
      if (name !== wrong) await world.secret(name, { password: content, value: content });
    // A cloud knows what it was sent: a server that was sent no user data cannot be answered with it.
    const isOther = ({ kind, references }: LandscapeObject): boolean =>
      kind === 'Server' && !references.some((key) => key.startsWith(SECRET_PREFIX) && key !== SECRET_KEY);
    await world.apply(...this.#objects.filter((object) => !isOther(object)).map(({ manifest }) => manifest));
    await world.progressing('User', 'monitoring', 'Progressing', 'Password secret does not contain "password" key');
    await world.secret(wrong, { password: this.#contents.get(wrong) ?? '' });
    await world.eventually('all have been refused', () => {
      const hits = faults.map((fault) => fault.hits);
      return hits.every((count) => count > 0) ? undefined : hits.join();
    });
    await world.apply(...this.#objects.filter(isOther).map(({ manifest }) => manifest));
    await this.#allAvailable();
    for (const plural of ['users', 'applicationcredentials', 'servers'])
      assert.ok(
        world.logs.some((line) => line['plural'] === plural && /unfit: \*\*\*/.test(String(line['error']))),
        `${plural}: what was said of the refusal`,
      );
  }

  /** Another password for the user and for the cloud; the first try is refused. */
  async edit(): Promise<void> {
    const world = this.#world;
    const second = this.#secret();
    this.#contents.set('second', second);
    await world.secret('second', { password: second });
    const fault = this.#refuse('identity', /\/users\/[^/]+$/, 409, 'second');
    await world.patch('User', 'shop-deployer', { spec: { resource: { passwordRef: 'second' } } });
    await world.progressing('User', 'shop-deployer', 'InvalidConfiguration', /unfit: \*\*\*/);
    await world.patch('User', 'shop-deployer', { spec: { resource: { description: 'edited' } } });
    await world.until(
      'User',
      'shop-deployer',
      'given its second password',
      ({ status }) => status?.resource?.['appliedPasswordRef'] === 'second',
    );
    assert.is(fault.hits, 1);
    await this.#openCloud();
    world.simulator.expireTokens();
    await world.patch('Network', 'build', { spec: { resource: { description: 'changed' } } });
    await world.until('Network', 'build', 'changed', ({ status }) => status?.resource?.['description'] === 'changed');
    await this.#allAvailable();
  }

  /** The administrator has a new password from now on. */
  async #openCloud(): Promise<void> {
    const world = this.#world;
    const password = this.#secret();
    const admin = world.simulator.resources('users').find(({ name }) => name === 'admin');
    world.simulator.drift.change('users', String(admin?.['id']), { password });
    const clouds = world.ground.cloudsYaml.replace(/password:.*/, `password: ${JSON.stringify(password)}`);
    await world.secret(CREDENTIALS, clouds);
  }

  /** Once, in an answer that quotes the contents of these Secrets in every way. */
  #refuse(service: 'identity' | 'compute', path: RegExp, status: number, ...names: readonly string[]) {
    const contents = names.map((name) => this.#contents.get(name) ?? '');
    const spelt = contents.flatMap((text) => [
      text,
      JSON.stringify(text),
      encodeURIComponent(text),
      Buffer.from(text).toString('base64'),
    ]);
    const error = { message: `unfit: ${spelt.join(' ')}`, code: status, title: 'No' };
    const body: JsonObject = service === 'identity' ? { error } : { computeFault: error };
    const method = path.source.endsWith('+$') ? 'PATCH' : 'POST';
    return this.#world.simulator.faults.inject({ match: { service, method, path }, status, body });
  }

  async #allAvailable(): Promise<void> {
    for (const { kind, name } of this.#objects) await this.#world.available(kind as Kind, name);
  }
}
