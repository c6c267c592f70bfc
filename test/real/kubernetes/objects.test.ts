import { suite } from 'uvu';
import { objectsSuite } from '../../adapters/kubernetes/objects.suite.ts';

const path = process.env['KUBECONFIG'];

if (path === undefined) {
  process.stdout.write('skipped: KUBECONFIG is not set\n');
} else {
  const test = suite('objects of a real API server');
  objectsSuite(test, async () => ({ path, close: async () => undefined }));
  test.run();
}
