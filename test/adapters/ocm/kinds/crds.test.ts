import { suite } from 'uvu';
import { openApiServer } from '../../../world/api-server.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { Wire } from '../../../world/wire.ts';
import { crdsSuite } from './crds.suite.ts';

const test = suite('definitions of a model on the embedded API server');

crdsSuite(test, async () => {
  const clock = simulatedClock();
  const server = await openApiServer({ clock, wire: new Wire() });
  return { ...server, clock, close: () => server.close().finally(() => clock.stop()) };
});

test.run();
