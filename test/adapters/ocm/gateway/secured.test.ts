// The gateway behind TLS: certificates that are replaced while it serves, and its end.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificateIn, followFiles } from '../../../../actors/cli/model/tls-files.ts';
import { type Authority, certify, makeAuthority } from '../../../../adapters/kubernetes/tls/certificates.ts';
import { noAuthentication } from '../../../../adapters/ocm/gateway/auth/none.ts';
import { Api } from '../../../../adapters/ocm/gateway/server/api.ts';
import { type HttpServer, serveHttp } from '../../../../adapters/ocm/gateway/server/http.ts';
import { memoryStore } from '../../../../adapters/ocm/gateway/store/memory.ts';
import { LOOK_MS, SETTLING_MS } from '../../../../bus/file-changes.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { testModel } from './model.ts';
import { askSecurely } from './secure.ts';
import { CLUSTERS } from './store.suite.ts';

const test = suite('model gateway behind TLS');

interface Scene {
  readonly server: HttpServer;
  readonly url: string;
  readonly authority: Authority;
  /** What was said of the files. */
  readonly said: readonly (string | undefined)[];
  /** A new connection. */
  agent(): Agent;
  /** Files of another certificate, none of them written. */
  certified(): Promise<{ certificate: string; key: string }>;
  write(files: { certificate?: string; key?: string }): Promise<void>;
  /** Until the files have been looked at again. */
  looked(): Promise<void>;
  /** The action of a cluster answers when it is told to. */
  readonly hibernation: { readonly began: Promise<void>; end(): void };
}

async function secured(run: (scene: Scene) => Promise<void>): Promise<void> {
  const clock = simulatedClock();
  const folder = await mkdtemp(join(tmpdir(), 'troupe-secured-'));
  const authority = await makeAuthority('the-tests-ca', Date.now());
  const certified = () => certify(authority, { name: 'gateway', hosts: ['localhost'] }, Date.now());
  const files = { certificate: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  const write: Scene['write'] = async ({ certificate, key }) => {
    if (certificate !== undefined) await writeFile(files.certificate, certificate);
    if (key !== undefined) await writeFile(files.key, key);
  };
  await write(await certified());
  const began = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const store = memoryStore({
    methods: {
      [CLUSTERS]: {
        async Hibernate() {
          began.resolve();
          await end.promise;
          return { kind: 'done', output: {} };
        },
      },
    },
  });
  let ids = 0;
  const api = new Api({
    model: testModel(),
    store,
    authenticator: noAuthentication(),
    build: 'test-build',
    now: () => clock.now(),
    newOperationId: () => `operation-${++ids}`,
    newId: () => `id${++ids}`,
    onDefect: (error) => assert.unreachable(String(error)),
  });
  const tls = certificateIn(files);
  const server = await serveHttp({ api, clock, host: '127.0.0.1', port: 0, tls });
  const stop = new AbortController();
  const said: (string | undefined)[] = [];
  const renew = (each: typeof tls): void => server.renew(each);
  const following = followFiles(files, tls, {
    clock,
    renew,
    onChange: (each) => said.push(each),
    signal: stop.signal,
  });
  const agents: Agent[] = [];
  try {
    await run({
      server,
      url: server.url,
      authority,
      said,
      agent() {
        const agent = new Agent({ ca: authority.certificate, keepAlive: true, maxCachedSessions: 0 });
        agents.push(agent);
        return agent;
      },
      certified,
      write,
      looked: () => clock.sleep(LOOK_MS + SETTLING_MS + 1),
      hibernation: { began: began.promise, end: () => end.resolve() },
    });
  } finally {
    end.resolve();
    stop.abort();
    await following;
    await server.close();
    api.close();
    for (const agent of agents) agent.destroy();
    await rm(folder, { recursive: true });
    clock.stop();
  }
}

test('36.5: a certificate that is replaced is served to new connections, one that does not fit is not (OCM-TLS-1)', () =>
  secured(async ({ url, agent, said, certified, write, looked }) => {
    const first = await askSecurely(url + CLUSTERS, agent());
    assert.is(first.status, 200);
    const second = await certified();
    // Half of it.
    await write({ key: second.key });
    await looked();
    assert.is(said.length, 1);
    assert.type(said[0], 'string');
    assert.is((await askSecurely(url + CLUSTERS, agent())).serial, first.serial);
    await looked();
    assert.is(said.length, 1, 'and once');
    await write({ certificate: second.certificate });
    await looked();
    assert.equal(said.slice(1), [undefined]);
    const renewed = await askSecurely(url + CLUSTERS, agent());
    assert.is(renewed.status, 200);
    assert.is.not(renewed.serial, first.serial);
  }));

test('36.7: at the end a request that is under way is answered, an idle connection closed, a new one refused (OCM-HTTP-3)', () =>
  secured(async ({ server, url, agent, hibernation }) => {
    const busy = agent();
    await askSecurely(url + CLUSTERS, busy, { method: 'POST', body: '{"id":"a"}' });
    const idle = agent();
    const closed = Promise.withResolvers<void>();
    idle.on('free', (socket) => socket.once('close', () => closed.resolve()));
    assert.is((await askSecurely(url + CLUSTERS, idle)).status, 200);
    const pending = askSecurely(`${url}${CLUSTERS}/a/hibernate`, busy, { method: 'POST', body: '{}' });
    await hibernation.began;
    const ended = server.close();
    await closed.promise;
    try {
      await askSecurely(url + CLUSTERS, agent());
      assert.unreachable();
    } catch (error) {
      assert.is((error as NodeJS.ErrnoException).code, 'ECONNREFUSED');
    }
    hibernation.end();
    const reply = await pending;
    assert.equal([reply.status, reply.connection], [200, 'close']);
    await ended;
  }));

test('36.7: connections of one that is to end close with their next answer, and new ones are taken until then', () =>
  secured(async ({ server, url, agent }) => {
    const one = agent();
    assert.is((await askSecurely(url + CLUSTERS, one)).connection, 'keep-alive');
    server.retire();
    assert.is((await askSecurely(url + CLUSTERS, one)).connection, 'close');
    assert.is((await askSecurely(url + CLUSTERS, agent())).connection, 'close');
  }));

test.run();
