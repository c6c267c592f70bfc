// The answers of the simulated services.
import { systemClock } from '../../../actors/clock.ts';
import { openStackSessions } from '../../../adapters/openstack/sessions.ts';
import { startSimulator } from '../../../adapters/openstack/simulator/mod.ts';
import { servicesSuite } from './services.suite.ts';

servicesSuite('simulated services', async () => {
  const clock = systemClock();
  const simulator = await startSimulator({ clock });
  const data = { 'clouds.yaml': Buffer.from(simulator.cloudsYaml('test')).toString('base64') };
  const sessions = openStackSessions({
    clock,
    version: '0.0.0',
    readSecret: async () => ({ uid: 'uid', resourceVersion: '1', data }),
  });
  const session = await sessions.open('test', { secretName: 'test', cloudName: 'test' }, '1', clock.now() + 10_000);
  return {
    session,
    clock,
    async close() {
      await sessions.close();
      await simulator.close();
    },
  };
}).run();
