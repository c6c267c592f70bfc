// needs: kube openstack nats ironic
// One run of chaos on a real API server and a real cloud: SEED and SECONDS say which and how long; see test/chaos/README.md.

import { describeChaos } from '../chaos/chaos.suite.ts';
import { addressesIn, resources } from '../chaos/models/mod.ts';
import { findNatsServer } from '../world/environments.ts';

const addresses = addressesIn(process.env);
const neighbor = process.env['NEIGHBOR'] === 'hostile' ? 'hostile' : 'none';
const found = await findNatsServer();
if (!addresses.kubeconfig || !addresses.cloudsFile) {
  console.log('skipped: KUBECONFIG and OS_CLIENT_CONFIG_FILE are not both set');
} else if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  describeChaos([resources({ addresses, neighbor })], { program: found.program, seconds: 30 });
}
