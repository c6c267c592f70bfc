// The simulated cloud in a process of its own: `cloud.process.ts <public origin> <token lifetime> <latency>`, both in ms. Its
// first word is its port, and it reports every call that changes something.
import { systemClock } from '../../../../actors/base/clock.ts';
import { type Fault, type ServedCall, startSimulator } from '../../../../adapters/simulated/openstack/mod.ts';
import { report, serveParent } from '../../child.ts';

const [publicOrigin = '', tokenLifetimeMs = '', latencyMs = ''] = process.argv.slice(2);
const simulator = await startSimulator({
  clock: systemClock(),
  publicOrigin,
  tokenLifetimeMs: Number(tokenLifetimeMs),
  onServed: (call: ServedCall) => {
    if (call.method !== 'GET' && call.path !== '/auth/tokens') report(call);
  },
});
simulator.setLatency(Number(latencyMs));
const { drift, faults } = simulator;

export type Served = typeof served;
const served = serveParent(
  {
    inject: (fault: Fault) => void faults.inject(fault),
    clear: () => faults.clear(),
    expireTokens: () => simulator.expireTokens(),
    addUser: (name: string, password: string) =>
      void drift.add('users', { name, password, domain_id: 'default', enabled: true, options: {} }),
    setPassword(name: string, password: string) {
      const user = simulator.resources('users').find((each) => each['name'] === name);
      if (user !== undefined) drift.change('users', String(user['id']), { password });
    },
  },
  simulator.port,
);
