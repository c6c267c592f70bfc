// The gateways before counterparts that are not ours, held against embedded ones.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../actors/base/clock.ts';
import { kubeClient } from '../../adapters/kubernetes/mod.ts';
import { openStackSessions, type Session } from '../../adapters/openstack/mod.ts';
import { startApiServer } from '../../adapters/simulated/kubernetes/mod.ts';
import { type ServedCall, startSimulator } from '../../adapters/simulated/openstack/mod.ts';
import { TransientError } from '../../bus/mod.ts';
import { slowness } from '../world/speed.ts';
import { type CloudGateway, cloudGateway } from './models/resources/cloud-gateway.ts';
import { realApi } from './real-api.ts';

const test = suite('chaos: gateways');
const clock = systemClock();
const CALL_MS = 5_000 * slowness(clock);

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-gateways-'));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const SPACES = '/api/v1/namespaces';

test("a pod's token is refused, and its watches are too old, when the test says so, and only then", () =>
  inFolder(async (folder) => {
    const server = await startApiServer({ clock });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, server.kubeconfig(), { mode: 0o600 });
    const api = await realApi({ clock, kubeconfig, folder, restart: undefined });
    const way = await api.wayOf('one');
    const client = kubeClient({ clock, kubeconfig: way.kubeconfig });
    /** What happens to a watch from there: its first event. */
    const watched = async (version: string): Promise<unknown> => {
      const stop = new AbortController();
      const path = `${SPACES}?watch=1&resourceVersion=${version}`;
      for await (const event of client.stream(path, undefined, stop.signal)) {
        stop.abort();
        return event;
      }
      return undefined;
    };
    const made = async (name: string): Promise<string> => {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      const { body: stored } = await client.call({ method: 'POST', path: SPACES, body });
      return (stored['metadata'] as { readonly resourceVersion: string }).resourceVersion;
    };
    try {
      const [first, second] = [await made('first'), await made('second')];
      assert.is(((await watched(first)) as { readonly type: string }).type, 'ADDED');
      way.outdate(second);
      const { type, object } = (await watched(first)) as { type: string; object: { code: number } };
      assert.equal([type, object.code], ['ERROR', 410]);
      const third = await made('third');
      assert.is(((await watched(second)) as { type: string }).type, 'ADDED');
      assert.ok(BigInt(third) > BigInt(second));
      way.refuse?.(1);
      try {
        await client.call({ method: 'GET', path: SPACES });
        assert.unreachable();
      } catch (error) {
        assert.instance(error, TransientError);
        assert.match((error as Error).message, 'Unauthorized');
      }
      assert.is((await client.call({ method: 'GET', path: SPACES })).body['kind'], 'NamespaceList');
    } finally {
      await client.close();
      await api.close();
      await server.close();
    }
  }));

async function withCloud(
  run: (cloud: CloudGateway, session: Session, calls: readonly ServedCall[]) => Promise<void>,
): Promise<void> {
  const simulator = await startSimulator({ clock });
  const calls: ServedCall[] = [];
  const onServed = (call: ServedCall): void => void calls.push(call);
  const direct = simulator.cloudsYaml('test');
  const [authUrl = ''] = /http[^"'\s]*/.exec(direct) ?? [];
  const cloud = await cloudGateway({ clock, authUrl, onBegun: () => undefined, onServed });
  const data = { 'clouds.yaml': Buffer.from(direct.replace(authUrl, cloud.authUrl)).toString('base64') };
  const readSecret = async () => ({ uid: 'u', resourceVersion: '1', data });
  const sessions = openStackSessions({ clock, version: '0', readSecret });
  const ref = { secretName: 's', cloudName: 'test' };
  try {
    await run(cloud, await sessions.open('ns', ref, '1', clock.now() + CALL_MS), calls);
  } finally {
    await sessions.close();
    await cloud.close();
    await simulator.close();
  }
}

test('all of a pod goes through the gateway, which tells what was done and loses what it is asked to lose', () =>
  withCloud(async (cloud, session, calls) => {
    const call = {
      service: 'network',
      path: '/networks',
      traceparent: `00-${'a'.repeat(32)}-${'a'.repeat(16)}-01`,
    } as const;
    const create = (name: string): ReturnType<Session['call']> =>
      session.call({ ...call, method: 'POST', body: { network: { name } }, deadlineAt: clock.now() + CALL_MS });
    const names = async (): Promise<readonly unknown[]> => {
      const found = await session.list({ ...call, deadlineAt: clock.now() + CALL_MS }, 'networks');
      return found.map(({ name }) => name).sort(); // lists are in the order of their ids
    };
    const fails = async (run: () => Promise<unknown>): Promise<void> => {
      try {
        await run();
      } catch (error) {
        assert.is((error as { readonly code?: string }).code, 'transient');
        return;
      }
      assert.unreachable();
    };
    assert.is((await create('kept')).status, 201);
    for (const fault of [{ dropAfterWork: true }, { dropBeforeWork: true }, { status: 503 }] as const) {
      cloud.inject({ match: { method: 'POST', path: /^\/networks$/ }, ...fault });
      await fails(() => create(Object.keys(fault).join()));
    }
    assert.equal(await names(), ['dropAfterWork', 'kept']);
    assert.equal(
      calls.map(({ service, method, path, status, requestId }) => [service, method, path, status, requestId]),
      Array(2).fill(['network', 'POST', '/networks', 201, 'req-aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa']),
    );
    // The catalog leads nowhere else.
    cloud.way.cut();
    await fails(names);
    cloud.way.heal();
    assert.equal(await names(), ['dropAfterWork', 'kept']);
  }));

test.run();
