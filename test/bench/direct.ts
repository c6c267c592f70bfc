// What a cloud needs for the requests of chains and nothing else: each resource made and deleted by a client that knows
// the order beforehand, so many chains at a time. The part of the time of `real` that no controller can save.
import { readFileSync } from 'node:fs';
import { openStackSessions } from '../../adapters/openstack/mod.ts';
import type { Clock, JsonObject } from '../../bus/mod.ts';
import { CREDENTIALS } from './landscape.ts';

const LIMIT_MS = 120_000;
/** As in the landscape of `real`. */
const CIDR = '10.0.0.0/24';

export interface Direct {
  readonly upMs: number;
  readonly downMs: number;
}

interface Chain {
  readonly name: string;
  readonly made: string[];
}

export async function direct(options: {
  readonly clock: Clock;
  readonly cloudsFile: string;
  readonly count: number;
  readonly clients: number;
}): Promise<Direct> {
  const { clock, cloudsFile, count, clients } = options;
  const data = { 'clouds.yaml': readFileSync(cloudsFile).toString('base64') };
  const sessions = openStackSessions({
    clock,
    version: '0.0.0',
    callsInFlight: clients,
    readSecret: async () => ({ uid: 'uid', resourceVersion: '1', data }),
  });
  const session = await sessions.open('bench', CREDENTIALS, '1', clock.now() + LIMIT_MS);
  const call = (method: 'POST' | 'DELETE', path: string, body?: JsonObject): Promise<{ readonly body: JsonObject }> => {
    const deadlineAt = clock.now() + LIMIT_MS;
    return session.call({
      service: 'network',
      method,
      path,
      deadlineAt,
      traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`,
      ...(body && { body }),
    });
  };
  const make = async (chain: Chain, kind: string, body: JsonObject): Promise<string> => {
    const answer = await call('POST', `/${kind}s`, { [kind]: { name: chain.name, ...body } });
    const id = String((answer.body[kind] as JsonObject)['id']);
    chain.made.push(`/${kind}s/${id}`);
    return id;
  };
  const chains: readonly Chain[] = Array.from({ length: count }, (_, index) => ({ name: `direct-${index}`, made: [] }));
  const timed = async (work: (chain: Chain) => Promise<void>): Promise<number> => {
    const left = chains.values();
    const startedAt = clock.now();
    await Promise.all(
      Array.from({ length: clients }, async () => {
        for (const chain of left) await work(chain);
      }),
    );
    return clock.now() - startedAt;
  };
  const remove = async ({ made }: Chain): Promise<void> => {
    for (let path = made.pop(); path !== undefined; path = made.pop()) await call('DELETE', path);
  };
  try {
    const upMs = await timed(async (chain) => {
      const networkId = await make(chain, 'network', {});
      const subnet = { network_id: networkId, ip_version: 4, cidr: CIDR, enable_dhcp: false };
      const subnetId = await make(chain, 'subnet', subnet);
      await make(chain, 'port', { network_id: networkId, fixed_ips: [{ subnet_id: subnetId }] });
    });
    return { upMs, downMs: await timed(remove) };
  } finally {
    await timed(remove);
    await sessions.close();
  }
}
