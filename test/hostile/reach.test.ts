// long
// A tenant whose cloud is a host that is none of his business, and one whose cloud quotes what it was sent: with `troupe run`.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TroupeProcess } from '../actors/processes.ts';
import { findNatsServer, onNats } from '../world/environments.ts';
import { CREDENTIALS, World } from '../world/world.ts';
import { startHostileCloud } from './hostile-cloud.ts';

const PASSWORD = 'pa"ss\\wörd/hunter2';

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('what a tenant gets out of a cloud of his own');
  const openGround = onNats(found.program);

  test('a host that is not to be reached is not asked, and the condition says what may be done', async () => {
    const internal = await startHostileCloud({});
    const world = await World.open(openGround, { runtime: 'stopped' });
    const process = new TroupeProcess(world, {
      // As in a pod.
      KUBERNETES_SERVICE_HOST: '10.96.0.1',
      TROUPE_CLOUD_ALLOW: '',
      TROUPE_LEASE_MS: '3000',
    });
    try {
      await credentials(world, internal.cloudsYaml());
      await world.progressing(
        'Network',
        'mallory',
        'TransientError',
        /^'127\.0\.0\.1' is a loopback address, .+ --cloud-allow$/,
      );
      assert.equal(internal.heard, []);
    } finally {
      await process.kill();
      await internal.close();
      await world.close();
    }
  });

  test('an identity service that quotes the request is not quoted', async () => {
    const bodies: string[] = [];
    const quoting = await startHostileCloud({
      token: (request, response) => {
        const { 'content-length': length } = request.headers;
        bodies.push(String(length));
        const quoted = [
          PASSWORD,
          JSON.stringify(PASSWORD),
          encodeURIComponent(PASSWORD),
          Buffer.from(PASSWORD).toString('base64'),
        ];
        response.writeHead(401, { 'content-type': `text/${encodeURIComponent(PASSWORD)}` });
        response.end(JSON.stringify({ error: { code: 401, message: quoted.join(' '), title: PASSWORD } }));
      },
    });
    const world = await World.open(openGround, { runtime: 'stopped' });
    const process = new TroupeProcess(world, { TROUPE_LEASE_MS: '3000', TROUPE_LOG_LEVEL: 'trace' });
    try {
      await world.observe();
      await credentials(world, quoting.cloudsYaml({ password: PASSWORD }));
      const message = 'authentication answered 401: the identity service refuses the credentials';
      await world.progressing('Network', 'mallory', 'TransientError', message);
      assert.ok(bodies.length > 0);
      const reported = JSON.stringify([
        await world.read('Network', 'mallory'),
        process.lines,
        process.said,
        world.events,
        await world.mail(),
      ]);
      for (const spelling of ['hunter2', Buffer.from(PASSWORD).toString('base64').slice(0, 12)])
        assert.not.match(reported, spelling);
    } finally {
      await process.kill();
      await world.stop();
      await quoting.close();
      await world.close();
    }
  });

  test.run();
}

/** A network, `mallory`, with these credentials. */
async function credentials(world: World, cloudsYaml: string): Promise<void> {
  await world.secret(`${CREDENTIALS}-mallory`, cloudsYaml);
  const cloudCredentialsRef = { secretName: `${CREDENTIALS}-mallory`, cloudName: 'openstack' };
  await world.apply(world.managed('Network', 'mallory', {}, { cloudCredentialsRef }));
}
