// Passwords are in Secrets and in the calls of the machine that need them, and nowhere else: not in mail, requests, answers,
// traces, logs, Events, statuses or errors, be it that all goes well, that the machine quotes them, or that a process is gone.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Code, StatusError } from '../../../adapters/csi-proxy/base/status.ts';
import { derive } from '../../../adapters/windows/operations/credentials.ts';
import { inWorld, type World } from '../../world/windows.ts';
import { allReady, declare, furnish, IQN, OBJECTS, PASSWORDS, PORTAL, SHARE } from './landscape.ts';

const test = suite('secrecy of Windows storage');
const NEXT = 'Rk4-rotated-to';
const SECRETS = [...Object.values(PASSWORDS), NEXT];

/** As it is, and in base64 wherever it may stand in a longer text. */
function spellings(secret: string): readonly string[] {
  const parts = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]).toString('base64');
    // Without the characters that others have a part in.
    return text.replace(/=+$/, '').slice(before === 0 ? 0 : before + 1, -1);
  });
  return [secret, ...parts];
}

const toldIn = (text: string): readonly string[] =>
  SECRETS.filter((secret) => spellings(secret).some((spelling) => text.includes(spelling)));

/** @returns what the passwords were used for */
function listen(world: World): Set<string> {
  const used = new Set<string>();
  const { iscsi, smb } = world.machine().host;
  for (const [part, name] of [
    [smb, 'newSmbGlobalMapping'],
    [iscsi, 'connectTarget'],
    [iscsi, 'setMutualChapSecret'],
  ] as const) {
    const call = Reflect.get(part, name) as (...args: unknown[]) => Promise<unknown>;
    Reflect.set(part, name, (...args: unknown[]) => {
      for (const secret of toldIn(JSON.stringify(args))) used.add(`${name} ${secret}`);
      return call(...args);
    });
  }
  return used;
}

/** The next call of that name fails, and quotes the secret. */
function quotes(world: World, call: string, secret: string, asDefect = false): Promise<void> {
  const met = Promise.withResolvers<void>();
  let left = 1;
  world.machine().before.set(call, async () => {
    if (left-- <= 0) return;
    met.resolve();
    const message = `'${secret}' (${Buffer.from(`x:${secret}`).toString('base64')}) is wrong`;
    throw asDefect ? new Error(message) : new StatusError(Code.Unknown, message);
  });
  return met.promise;
}

test('what is looked for would be found', () => {
  for (const secret of SECRETS) {
    for (const before of ['', 'u', 'us', 'use']) {
      assert.equal(toldIn(JSON.stringify({ a: Buffer.from(`${before}${secret}:`).toString('base64') })), [secret]);
    }
    assert.equal(toldIn(`a ${secret} b`), [secret]);
  }
});

test('what is told of credentials is the same for the same of one object, and of no length of theirs', async () => {
  const hashes = [
    await derive('a', 'one'),
    await derive('a', 'one'),
    await derive('a', 'two'),
    await derive('ab', 'one'),
  ];
  const [first, ...others] = hashes.map((hash) => hash.toString('hex'));
  assert.equal(
    others.map((each) => each === first),
    [true, false, false],
  );
  assert.ok(hashes.every(({ length }) => length === 16));
});

test('no password is told, whatever is done with it', () =>
  inWorld({ pods: 2 }, async (world) => {
    const { host, smb } = world.machine();
    await furnish(world.machine());
    const used = listen(world);
    const texts: string[] = [];
    const look = async (): Promise<void> => void texts.push(await world.everything());
    // Before all goes well the machine quotes what it was given.
    const met = [
      quotes(world, 'newSmbGlobalMapping', PASSWORDS.smb),
      quotes(world, 'setMutualChapSecret', PASSWORDS.mutual),
      quotes(world, 'connectTarget', PASSWORDS.chap),
    ];
    await declare(world);
    await Promise.all(met);
    await look();
    await allReady(world);
    await look();
    const defect = quotes(world, 'connectTarget', PASSWORDS.chap, true);
    await host.iscsi.disconnectTarget(PORTAL, IQN);
    await defect;
    await world.ready('iscsitargets/target');
    smb.offer(SHARE, { username: 'user', password: NEXT });
    // The process that maps anew is gone in the middle of it.
    const gone = Promise.withResolvers<void>();
    world.machine().before.set('newSmbGlobalMapping', async () => {
      world.machine().before.delete('newSmbGlobalMapping');
      await world.crashNode('one');
      gone.resolve();
      await new Promise(() => undefined);
    });
    await world.merge('smbmappings/share', { spec: { rotation: 'Immediate' } });
    await world.merge('secrets/login', { stringData: { password: NEXT } });
    await gone.promise;
    await world.ready('smbmappings/share');
    await world.crashLeader('smbmappings/share');
    await world.happens('it is mapped', async () => (await host.smb.isSmbMapped(SHARE)) === 'mapped');
    await allReady(world);
    await look();
    for (const path of OBJECTS) await world.remove(path);
    for (const path of OBJECTS) await world.gone(path);
    await look();
    assert.equal(
      [...used].sort(),
      [
        `connectTarget ${PASSWORDS.chap}`,
        `newSmbGlobalMapping ${NEXT}`,
        `newSmbGlobalMapping ${PASSWORDS.smb}`,
        `setMutualChapSecret ${PASSWORDS.mutual}`,
      ].sort(),
    );
    const text = texts.join('\n');
    assert.match(text, "'***' (", 'what the machine says is told without them');
    assert.equal(toldIn(text), []);
  }));

test.run();
