// needs: kube
// The kinds on a real API server: KUBECONFIG.
import { suite } from 'uvu';
import { describeKinds } from '../../adapters/windows/kinds.suite.ts';

const kubeconfig = process.env['KUBECONFIG'];

if (kubeconfig === undefined || kubeconfig === '') {
  console.log('skipped: KUBECONFIG is not set');
} else {
  const test = suite('kinds of Windows storage on a real API server');
  describeKinds(test, { kubeconfig });
  test.run();
}
