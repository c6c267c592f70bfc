// needs: kube
// The rules of the HTTP contract over objects of a real API server, with their actors.
import { suite } from 'uvu';
import { systemClock } from '../../../actors/base/clock.ts';
import { kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { conformanceSuite } from '../../adapters/ocm/gateway/conformance.suite.ts';
import { sharedStores } from '../../adapters/ocm/gateway/kubernetes.suite.ts';

const kubeconfig = process.env['KUBECONFIG'];

if (kubeconfig === undefined) {
  process.stdout.write('skipped: KUBECONFIG is not set\n');
} else {
  const clock = systemClock();
  const client = () => kubeClient({ clock, kubeconfig });
  const stores = sharedStores(async () => ({ clock, client, close: async () => undefined }));
  conformanceSuite('kubernetes, real', stores.make);
  const test = suite('conformance over real kubernetes');
  test('what was opened is closed', () => stores.close());
  test.run();
}
