// needs: kube
import { suite } from 'uvu';
import { systemClock } from '../../../actors/base/clock.ts';
import { kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { actorSuite } from '../../adapters/ocm/kinds/actor.suite.ts';

const kubeconfig = process.env['KUBECONFIG'];

if (kubeconfig === undefined) {
  process.stdout.write('skipped: KUBECONFIG is not set\n');
} else {
  const test = suite('modeled objects as actors, real');
  const clock = systemClock();
  const client = () => kubeClient({ clock, kubeconfig });
  actorSuite(test, async () => ({ clock, client, close: async () => undefined }));
  test.run();
}
