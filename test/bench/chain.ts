// Chains: so many networks, each with a subnet, applied dependants first, then all deleted at once.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../actors/clock.ts';
import { Role } from '../../actors/config.ts';
import { installCrds } from '../../actors/crds.ts';
import { openLog } from '../../actors/log.ts';
import { startRuntime } from '../../actors/runtime.ts';
import { startApiServer } from '../../adapters/kubernetes/embedded/mod.ts';
import { kubeClient } from '../../adapters/kubernetes/mod.ts';
import { startSimulator } from '../../adapters/openstack/mod.ts';
import { memoryBroker } from '../../bus/mod.ts';

const NAMESPACE = 'chain';
const API = `/apis/openstack.k-orc.cloud/v1alpha1/namespaces/${NAMESPACE}`;
const CALLS_IN_FLIGHT = 64;
const CREDENTIALS = { secretName: 'clouds', cloudName: 'openstack' };

/** Figures of one run: times in milliseconds, ratios without a unit. */
export async function chain({
  count,
  latencyMs,
}: {
  count: number;
  latencyMs: number;
}): Promise<Record<string, number>> {
  const clock = systemClock();
  const folder = await mkdtemp(join(tmpdir(), 'troupe-bench-'));
  const api = await startApiServer({ clock });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, api.kubeconfig());
  const simulator = await startSimulator({ clock, latencyMs });
  const client = kubeClient({ clock, kubeconfig });
  const bus = memoryBroker({ clock }).connect();
  await installCrds(client, clock, () => undefined);
  const runtime = await startRuntime({
    bus,
    client,
    clock,
    log: openLog({ level: 'silent', readable: false }),
    roles: new Set(Object.values(Role)),
    callMs: 10_000,
    defaultResyncMs: 0,
    callsInFlight: CALLS_IN_FLIGHT,
    events: false,
  });
  try {
    const available = new Set<string>();
    const gone = new Set<string>();
    const ready = new Map<string, number>();
    const reactions: number[] = [];
    let wake = (): void => undefined;
    const events = await bus.trace.subscribe(({ actor, type, data, at }) => {
      const key = `${actor.plural}/${actor.name}`;
      if (type === 'gone') gone.add(key);
      if (type === 'transition' && data['to'] === 'available') {
        available.add(key);
        ready.set(key, at);
      }
      if (type === 'transition' && data['to'] === 'creating' && actor.plural === 'subnets') {
        const readyAt = ready.get(`networks/${actor.name}`);
        if (readyAt !== undefined) reactions.push(at - readyAt);
      }
      wake();
    });
    const until = async (set: Set<string>): Promise<void> => {
      while (set.size < 2 * count) await new Promise<void>((resolve) => (wake = resolve));
    };
    const post = (path: string, body: object): Promise<unknown> =>
      client.call({ method: 'POST', path, body: body as never });
    const object = (kind: string, name: string, resource: object): object => ({
      apiVersion: 'openstack.k-orc.cloud/v1alpha1',
      kind,
      metadata: { name },
      spec: { cloudCredentialsRef: CREDENTIALS, resource },
    });
    await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await post(`/api/v1/namespaces/${NAMESPACE}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: CREDENTIALS.secretName },
      stringData: { 'clouds.yaml': simulator.cloudsYaml(CREDENTIALS.cloudName) },
    });
    const names = Array.from({ length: count }, (_, index) => `chain-${index}`);
    const before = api.requests();
    const startedAt = clock.now();
    const subnet = { ipVersion: 4, cidr: '10.0.0.0/24' };
    await Promise.all(
      names.map((name) => post(`${API}/subnets`, object('Subnet', name, { ...subnet, networkRef: name }))),
    );
    await Promise.all(names.map((name) => post(`${API}/networks`, object('Network', name, {}))));
    await until(available);
    const upMs = clock.now() - startedAt;
    const patches = (api.requests()['PATCH'] ?? 0) - (before['PATCH'] ?? 0);
    const calls = Object.values(simulator.calls()).reduce((sum, calls) => sum + calls, 0);
    const deletedAt = clock.now();
    await client.call({ method: 'DELETE', path: `/api/v1/namespaces/${NAMESPACE}` });
    await until(gone);
    const downMs = clock.now() - deletedAt;
    await events.close();
    const limitMs = (2 * count * latencyMs) / CALLS_IN_FLIGHT;
    reactions.sort((a, b) => a - b);
    return rounded({
      objects: 2 * count,
      upMs,
      limitMs,
      ratio: upMs / limitMs,
      downMs,
      reactionMedianMs: reactions[reactions.length >> 1] ?? Number.NaN,
      reactionP99Ms: reactions[Math.floor(reactions.length * 0.99)] ?? Number.NaN,
      cloudCallsPerObject: calls / (2 * count),
      kubeWritesPerObject: patches / (2 * count),
    });
  } finally {
    await runtime.close();
    await bus.close();
    await client.close();
    await api.close();
    await simulator.close();
    await rm(folder, { recursive: true });
  }
}

function rounded(figures: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Math.round(value * 100) / 100]));
}
