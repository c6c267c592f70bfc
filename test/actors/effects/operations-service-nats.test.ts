// Operations that go to the process of a node, on the nats-server that the launcher finds.
import { suite } from 'uvu';
import { findNatsServer, onNats } from '../../world/environments.ts';
import { describeRouting } from './operations-service.suite.ts';

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('operations on nats-server');
  describeRouting(test, async (run) => {
    const ground = await onNats(found.program)();
    try {
      await run((process) => ground.connect(process), ground.clock);
    } finally {
      await ground.close();
    }
  });
  test.run();
}
