// needs: kube openstack nats
// The manifests of deploy/ on a real cluster: kubectl takes them, and their rules are enough for the life of objects.
import { suite } from 'uvu';
import { deployed, undeploy } from '../../actors/deployed.ts';
import { describeEvents } from '../../actors/events.suite.ts';
import { describeLifecycle } from '../../actors/lifecycle.suite.ts';
import { describeRouting } from '../../actors/routing.suite.ts';
import { REAL_SKIP, realGround } from '../../world/environments.ts';

const ground = realGround(process.env);
if (ground === undefined) {
  console.log(REAL_SKIP);
} else {
  const test = suite('deployed on real counterparts');
  const allowed = deployed(ground, { withKubectl: true });
  describeLifecycle(test, allowed);
  describeRouting(test, allowed);
  describeEvents(test, allowed);
  test('what was deployed goes again', () => undeploy(process.env['KUBECONFIG'] ?? ''));
  test.run();
}
