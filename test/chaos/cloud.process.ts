// The simulated cloud in a process of its own, forked: `cloud.process.ts <public origin> <token lifetime> <latency>`, both
// in ms. It says where it is, tells of every call that changes something, and does what it is asked. It lives as long as
// who started it.
import { systemClock } from '../../actors/clock.ts';
import { type ServedCall, startSimulator } from '../../adapters/openstack/simulator/mod.ts';
import type { CloudReport, CloudRequest } from './simulated-cloud.ts';

const [publicOrigin = '', tokenLifetimeMs = '', latencyMs = ''] = process.argv.slice(2);
const tell = (report: CloudReport): void => void process.send?.(report);
const simulator = await startSimulator({
  clock: systemClock(),
  publicOrigin,
  tokenLifetimeMs: Number(tokenLifetimeMs),
  onServed: (call: ServedCall) => {
    if (call.method !== 'GET' && call.path !== '/auth/tokens') tell({ served: call });
  },
});
simulator.setLatency(Number(latencyMs));

const users = (): readonly { readonly id: string; readonly name: string }[] =>
  simulator.resources('users') as readonly unknown[] as readonly { readonly id: string; readonly name: string }[];

function obey(request: CloudRequest): void {
  switch (request.ask) {
    case 'inject':
      simulator.faults.inject(request.fault);
      return;
    case 'clear':
      simulator.faults.clear();
      return;
    case 'expireTokens':
      simulator.expireTokens();
      return;
    case 'addUser': {
      const { name, password } = request;
      simulator.drift.add('users', { name, password, domain_id: 'default', enabled: true, options: {} });
      return;
    }
    case 'setPassword': {
      const user = users().find(({ name }) => name === request.name);
      if (user !== undefined) simulator.drift.change('users', user.id, { password: request.password });
    }
  }
}

process.on('disconnect', () => process.exit()); // whoever started it is gone
process.on('message', ({ id, request }: { id: number; request: CloudRequest }) => {
  obey(request);
  tell({ done: id });
});
tell({ port: simulator.port });
