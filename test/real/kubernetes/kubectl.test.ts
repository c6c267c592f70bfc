// needs: kube
import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import { kubectlSuite } from './kubectl.suite.ts';

const kubeconfig = process.env['KUBECONFIG'];

/** Minor version of the kubectl on the PATH, or undefined where there is none. */
function minorVersion(): number | undefined {
  try {
    const text = execFileSync('kubectl', ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
    const { clientVersion } = JSON.parse(text) as { clientVersion: { minor: string } };
    return Number.parseInt(clientVersion.minor, 10);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
}

const minor = minorVersion();
if (kubeconfig === undefined) {
  process.stdout.write('skipped: KUBECONFIG is not set\n');
} else if (minor === undefined) {
  process.stdout.write('skipped: there is no kubectl on the PATH\n');
} else {
  const test = suite(`kubectl 1.${minor} on a real and an embedded API server`);
  kubectlSuite(test, { kubectl: 'kubectl', minor, kubeconfig });
  test.run();
}
