// needs: kube
import { suite } from 'uvu';
import { systemClock } from '../../../actors/base/clock.ts';
import { installCrds } from '../../../actors/process/install-crds.ts';
import { kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { openstackContracts } from '../../../adapters/openstack/mod.ts';
import { eventsSuite } from '../../adapters/kubernetes/events.suite.ts';
import { type Opened, objectsSuite } from '../../adapters/kubernetes/objects.suite.ts';

const kubeconfig = process.env['KUBECONFIG'];

if (kubeconfig === undefined) {
  process.stdout.write('skipped: KUBECONFIG is not set\n');
} else {
  const test = suite('objects of a real API server');
  const clock = systemClock();
  const client = () => kubeClient({ clock, kubeconfig });
  const open = async (): Promise<Opened> => {
    const own = client();
    await installCrds(own, clock, () => undefined, openstackContracts).finally(() => own.close());
    return { clock, client, close: async () => undefined };
  };
  objectsSuite(test, open);
  eventsSuite(test, open);
  test.run();
}
