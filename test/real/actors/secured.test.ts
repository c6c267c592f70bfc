// needs: kube nats-programs
// Split roles with permissions and TLS, on a real kube-apiserver with the simulated cloud.
import { suite } from 'uvu';
import { describeSecured } from '../../actors/secured.suite.ts';
import { findSharableNatsServer, onRealApiServer } from '../../world/environments.ts';

const ground = onRealApiServer(process.env);
const found = await findSharableNatsServer();
if (ground === undefined) {
  console.log('skipped: KUBECONFIG is not set');
} else if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('secured bus, real API server');
  describeSecured(test, ground, found.program);
  test.run();
}
