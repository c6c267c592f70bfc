// needs: nats
// The contract on a nats-server that runs already: NATS_URL. Streams and buckets have names of their own, deleted after.
import { suite } from 'uvu';
import { busSuite } from '../../bus/bus.suite.ts';
import { sharedServer } from '../../bus/nats.harness.ts';

const url = process.env['NATS_URL'];
if (url === undefined || url === '') {
  process.stdout.write('skipped: NATS_URL is not set\n');
} else {
  const test = suite('nats bus, real');
  busSuite(test, sharedServer('nats', url));
  test.run();
}
