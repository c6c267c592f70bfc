// The simulated cloud in a process of its own, forked: `cloud.process.ts <public origin> <token lifetime in ms>`. It says
// where it is, tells of every call that changes something, and does what it is asked. It lives as long as who started it.
import { systemClock } from '../../actors/clock.ts';
import { type Fault, type ServedCall, startSimulator } from '../../adapters/openstack/simulator/mod.ts';
import type { CloudAnswer, CloudReport, CloudRequest } from './cloud.ts';

const [publicOrigin = '', tokenLifetimeMs = ''] = process.argv.slice(2);
const tell = (report: CloudReport): void => void process.send?.(report);
const simulator = await startSimulator({
  clock: systemClock(),
  publicOrigin,
  tokenLifetimeMs: Number(tokenLifetimeMs),
  onServed: (call: ServedCall) => {
    if (call.method !== 'GET' && call.path !== '/auth/tokens') tell({ served: call });
  },
});

const users = (): readonly { readonly id: string; readonly name: string }[] =>
  simulator.resources('users') as readonly unknown[] as readonly { readonly id: string; readonly name: string }[];

function answer(request: CloudRequest): CloudAnswer {
  switch (request.ask) {
    case 'resources':
      return simulator.resources(request.collection);
    case 'inject':
      simulator.faults.inject(request.fault as Fault);
      return [];
    case 'clear':
      simulator.faults.clear();
      return [];
    case 'latency':
      simulator.setLatency(request.latencyMs);
      return [];
    case 'expireTokens':
      simulator.expireTokens();
      return [];
    case 'addUser': {
      const { name, password } = request;
      simulator.drift.add('users', { name, password, domain_id: 'default', enabled: true, options: {} });
      return [];
    }
    case 'setPassword': {
      const user = users().find(({ name }) => name === request.name);
      if (user !== undefined) simulator.drift.change('users', user.id, { password: request.password });
      return [];
    }
  }
}

process.on('disconnect', () => process.exit()); // whoever started it is gone
process.on('message', ({ id, request }: { id: number; request: CloudRequest }) =>
  tell({ id, answer: answer(request) }),
);
tell({ port: simulator.port });
