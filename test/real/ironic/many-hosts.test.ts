// needs: ironic
// As many hosts as a real Ironic has machines, ten at most, while Troupe, Ironic and Ironic's database go away under them. What is
// given is that of `hosts.test.ts`, and two shell commands, each of which ends when Ironic is ready again:
// $TROUPE_CHAOS_RESTART_IRONIC kills Ironic and starts it again, $TROUPE_CHAOS_FORGET_IRONIC does so without its database. Without the
// first Ironic goes on; without the second the nodes are taken away one by one.
import { spawn } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NAMESPACE } from '../../world/hosts.ts';
import { eventually } from './fleet.ts';
import { env, image, isWell, type Kept, keep, nodeOf, type Scene, takeNodeAway } from './kept-host.ts';
import { report } from './stories.ts';

const CROWD = 10;
/** So many of them are cleaned at the end. */
const CLEANED = 3;

const test = suite('many hosts on a real Ironic');

async function crowd({ stage, fleet: machines, orders }: Scene): Promise<void> {
  const lent = await Promise.all(Array.from({ length: Math.min(CROWD, machines.size) }, () => machines.lend()));
  try {
    const spec = { inspectionMode: 'fast', automatedCleaningMode: 'disabled' };
    const hosts = await Promise.all(
      lent.map((machine, index) => keep({ stage, orders }, machine, `crowd-${index}`, spec)),
    );
    const all = <Result>(what: (host: Kept) => Promise<Result>): Promise<Result[]> => Promise.all(hosts.map(what));
    await all((host) => host.until('available'));
    await all((host) => host.spec({ image: image() }));
    await eventually('some are being deployed', async () => {
      const nodes = await Promise.all(hosts.map(({ name }) => nodeOf(`${NAMESPACE}~${name}`)));
      return nodes.some((node) => /deploy|call-back/.test(`${node?.['provision_state']}`));
    });
    await stage.stop();
    await stage.start();
    await all((host) => host.until('provisioned'));
    await all((host) => host.is('on', ({ poweredOn }) => poweredOn === true));
    await all((host) =>
      eventually(`the instance runs on ${host.lent.name}`, async () => {
        const { running } = await host.lent.look();
        return running.startsWith('instance');
      }),
    );
    const before = await all(({ lent: { look } }) => look());
    const ids = await all(async ({ name }) => `${(await nodeOf(`${NAMESPACE}~${name}`))?.['uuid']}`);
    if (env('TROUPE_CHAOS_FORGET_IRONIC') === '') await Promise.all(ids.map(takeNodeAway));
    else await run(env('TROUPE_CHAOS_FORGET_IRONIC'));
    await all((host) =>
      eventually(
        `${host.name} is adopted`,
        async () => (await nodeOf(`${NAMESPACE}~${host.name}`))?.['provision_state'] === 'active',
      ),
    );
    assert.equal(
      (await all(({ lent: { look } }) => look())).map(({ boots }) => boots),
      before.map(({ boots }) => boots),
    );
    await all((host) => host.is('well', isWell));
    await Promise.all(hosts.slice(0, CLEANED).map((host) => host.spec({ automatedCleaningMode: 'metadata' })));
    await all((host) => host.spec({ image: null }));
    await eventually('some are being cleaned', async () => {
      const nodes = await Promise.all(hosts.map(({ name }) => nodeOf(`${NAMESPACE}~${name}`)));
      return nodes.some((node) => /clean/.test(`${node?.['provision_state']}`));
    });
    if (env('TROUPE_CHAOS_RESTART_IRONIC') !== '') await run(env('TROUPE_CHAOS_RESTART_IRONIC'));
    await all((host) => host.until('available'));
    await all((host) => host.end());
  } finally {
    await Promise.all(lent.map(({ giveBack }) => giveBack()));
  }
}

async function run(command: string): Promise<void> {
  const child = spawn('bash', ['-c', command], { stdio: 'ignore' });
  const code = await new Promise((resolve) => child.on('exit', resolve));
  assert.is(code, 0, `'${command}' ended with ${code}`);
}

if (env('IRONIC_URL') === '') {
  process.stdout.write('skipped: IRONIC_URL is not set\n');
} else {
  report(test, { 'hosts outlive Troupe, Ironic, and its database': crowd });
  test.run();
}
