// The answers of the simulated services.
import { openCloud } from '../../world/openstack.ts';
import { servicesSuite } from './services.suite.ts';

servicesSuite('simulated services', async () => {
  const cloud = await openCloud();
  return { ...cloud, session: await cloud.open() };
}).run();
