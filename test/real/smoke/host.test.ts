// needs: ironic
// One host on a real Ironic: inspected, deployed, wiped and deleted.
import { suite } from 'uvu';
import { env, image, withMachine } from '../ironic/kept-host.ts';
import { report } from '../ironic/stories.ts';

if (env('IRONIC_URL') === '') {
  process.stdout.write('skipped: IRONIC_URL is not set\n');
} else {
  const test = suite('one host on a real Ironic');
  report(test, {
    'a host is provisioned, deprovisioned and deleted': (scene) =>
      withMachine(scene, 'smoke', { automatedCleaningMode: 'disabled', image: image() }, async (host) => {
        await host.until('provisioned');
        await host.is('on', ({ poweredOn }) => poweredOn === true);
        await host.spec({ image: null });
        await host.until('available');
        await host.end();
      }),
  });
  test.run();
}
