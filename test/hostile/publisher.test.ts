// long
// A hostile publisher: somebody who may publish on the bus says what nobody understands, everywhere. `troupe run` as a process
// of its own goes on, and so does whoever comes after it.
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { REALM } from '../../adapters/openstack/mod.ts';
import type { Address, MailboxSubject } from '../../bus/mod.ts';
import { mailboxSubject, SHARDS } from '../../bus/subjects.ts';
import { TroupeProcess } from '../actors/processes.ts';
import { findNatsServer, onNats } from '../world/environments.ts';
import { CREDENTIALS, World } from '../world/world.ts';

const LEASE_MS = 1_500;

/** No JSON, no object, no mail; and what is nearly mail. */
const NONSENSE = [
  '{{',
  '',
  'null',
  '7',
  '[]',
  '"{}"',
  '\u0000\ufffd',
  '{"object":null,"gone":null}',
  '{"object":{"metadata":null}}',
  '{"gone":[]}',
  '{"uid":1,"resourceVersion":{},"finalizers":"all","withdrawnFrom":[null]}',
  '{"to":"a","generation":1,"uid":"b","readiness":"__proto__"}',
  '{"inDoubtUntil":[1]}',
  `{"object":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
];

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('hostile publisher');

  test('what cannot be understood stops nobody, is taken away, and comes back to nobody', async () => {
    const world = await World.open(onNats(found.program), { runtime: 'stopped', leaseMs: LEASE_MS });
    const env = { TROUPE_LEASE_MS: String(LEASE_MS) };
    const pods: TroupeProcess[] = [];
    let nats: NatsConnection | undefined;
    try {
      const { url = '', prefix = '' } = world.ground.nats ?? {};
      const { host, username: user, password: pass } = new URL(url);
      const hostile = await connect({ servers: host, user, pass });
      nats = hostile;
      await world.observe();
      pods.push(new TroupeProcess(world, env));
      const [network, later, last] = [world.name('n'), world.name('later'), world.name('last')];
      await world.apply(world.managed('Network', network));
      await world.available('Network', network);

      const { namespace } = world;
      const at = (plural: string, name: string): Address => ({ realm: REALM, plural, namespace, name });
      const to = at('networks', network);
      const nobody = at('networks', world.name('nobody'));
      const secret: Address = { realm: 'core', plural: 'secrets', namespace, name: CREDENTIALS };
      const from = at('subnets', world.name('s'));
      const subjects: readonly MailboxSubject[] = [
        { topic: 'object', to: nobody },
        ...[to, nobody, secret].flatMap((each): readonly MailboxSubject[] => [
          { topic: 'claim', to: each, from },
          { topic: 'ready', to: each, from },
        ]),
        ...Array.from({ length: SHARDS }, (_, shard) => ({ topic: 'creates', shard }) as const),
      ];
      const publish = async (text: string): Promise<void> => {
        for (const subject of subjects) hostile.publish(mailboxSubject(subject, SHARDS, prefix), text);
        hostile.publish(`${prefix}.event.a.b.c.d.transition`, text);
        await hostile.flush();
      };
      for (const text of NONSENSE) await publish(text);
      await world.apply(world.managed('Network', later));
      await world.available('Network', later);
      const left = async (): Promise<number> =>
        (await world.mail()).filter(
          ({ subject }) =>
            'from' in subject && subject.from.name === from.name && ['claim', 'ready'].includes(subject.topic),
        ).length;
      await world.eventually('the nonsense is taken away', async () =>
        (await left()) === 0 ? undefined : 'some is left',
      );
      const reported = (pod: TroupeProcess | undefined): number =>
        pod?.lines.filter(({ msg }) => String(msg).startsWith('mail that cannot be understood')).length ?? 0;
      assert.ok(reported(pods[0]) > 0, 'the log tells of it');
      assert.ok(reported(pods[0]) < 20, 'and not of each message');

      // Said while nobody is there to take it away: it is there at the next start.
      await pods[0]?.kill();
      await publish('{{');
      pods.push(new TroupeProcess(world, env));
      await world.apply(world.managed('Network', last));
      await world.available('Network', last);
      await world.eventually('that is taken away too', async () => ((await left()) === 0 ? undefined : 'some is left'));
      for (const name of [network, later, last]) await world.delete('Network', name);
      for (const name of [network, later, last]) await world.gone('Network', name);
    } finally {
      await nats?.close();
      for (const pod of pods) await pod.kill();
      await world.close();
    }
  });
  test.run();
}
