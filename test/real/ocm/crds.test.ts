// needs: kube
import { suite } from 'uvu';
import { systemClock } from '../../../actors/base/clock.ts';
import { kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { crdsSuite } from '../../adapters/ocm/kinds/crds.suite.ts';

const kubeconfig = process.env['KUBECONFIG'];

if (kubeconfig === undefined) {
  process.stdout.write('skipped: KUBECONFIG is not set\n');
} else {
  const test = suite('definitions of a model on a real API server');
  const clock = systemClock();
  crdsSuite(test, async () => ({
    clock,
    client: () => kubeClient({ clock, kubeconfig }),
    close: async () => undefined,
  }));
  test.run();
}
