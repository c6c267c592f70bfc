// needs: kube
import { suite } from 'uvu';
import { eventsSuite } from '../../adapters/kubernetes/events.suite.ts';
import { objectsSuite } from '../../adapters/kubernetes/objects.suite.ts';

const path = process.env['KUBECONFIG'];

if (path === undefined) {
  process.stdout.write('skipped: KUBECONFIG is not set\n');
} else {
  const test = suite('objects of a real API server');
  const open = async () => ({ path, close: async () => undefined });
  objectsSuite(test, open);
  eventsSuite(test, open);
  test.run();
}
