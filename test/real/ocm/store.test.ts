// needs: kube
import { suite } from 'uvu';
import { systemClock } from '../../../actors/base/clock.ts';
import { kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { kubernetesStoreSuite } from '../../adapters/ocm/gateway/kubernetes.suite.ts';

const kubeconfig = process.env['KUBECONFIG'];

if (kubeconfig === undefined) {
  process.stdout.write('skipped: KUBECONFIG is not set\n');
} else {
  const clock = systemClock();
  const test = suite('store in kubernetes, real');
  kubernetesStoreSuite(test, 'real', async () => ({
    clock,
    client: () => kubeClient({ clock, kubeconfig }),
    close: async () => undefined,
  }));
  test.run();
}
