// What an object says to those it refers to, and until when.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MayReplace, Outbox } from '../../../actors/mailbox/outbox.ts';
import { Answers } from '../../../actors/object/answers.ts';
import {
  type Claimant,
  ClaimPublisher,
  endLeft,
  type OutgoingClaimsDeps,
} from '../../../actors/object/claim-publisher.ts';
import { registry } from '../../../actors/object/registry.ts';
import { type ActorSubject, addressKey, type JsonObject } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { simpleKind } from '../kinds.ts';

const test = suite('outgoing claims');

const from = { realm: 'openstack', plural: 'subnets', namespace: 'ns', name: 'sub' };
const at = (name: string) => ({ realm: 'openstack', plural: 'networks', namespace: 'ns', name });

function objectWith(...refs: readonly string[]): KubeObject {
  const metadata = { name: 'sub', namespace: 'ns', uid: 'uid', resourceVersion: '2', generation: 1 };
  return { apiVersion: 'v1', kind: 'Subnet', metadata, spec: { refs } } as unknown as KubeObject;
}

/** Claims on a bus that acknowledges what it is told to, and has everything else on its way. */
function claims() {
  const onTheirWay = new Map<string, () => void>();
  const outbox = {
    say: ({ to }: ActorSubject, { ended }: JsonObject) =>
      new Promise<void>((resolve) => onTheirWay.set(`${to.name}${ended ? ' ended' : ''}`, resolve)),
    forget: () => undefined,
  };
  const references = ({ spec }: KubeObject) =>
    ((spec?.['refs'] ?? []) as readonly string[]).map((name) => ({
      kind: 'Network',
      name,
      finalizers: [],
      neededFor: 'create',
    }));
  const registry = { target: (_: unknown, { name }: { readonly name: string }) => at(name) };
  const outgoing = new ClaimPublisher({ outbox, registry } as unknown as OutgoingClaimsDeps, {
    kind: { references, fieldManagers: { guards: 'subnet' } } as unknown as Claimant['kind'],
    from,
    uid: 'uid',
    bornVersion: '1',
    answers: new Answers(),
  });
  return { outgoing, onTheirWay };
}

/** Whether it resolves without anything further. */
async function isOver(promise: Promise<void>): Promise<boolean> {
  const later = new Promise<false>((resolve) => setImmediate(resolve, false));
  return Promise.race([promise.then(() => true), later]);
}

for (const way of ['endNonCleanupClaims', 'end'] as const) {
  test(`${way} waits for the end of claims on what was not referred to any more before (P12)`, async () => {
    const { outgoing, onTheirWay } = claims();
    outgoing.say(objectWith('old', 'net'), []);
    outgoing.say(objectWith('net'), []);
    const ending = outgoing[way](objectWith('net'));
    onTheirWay.get('net ended')?.();
    assert.not(await isOver(ending), 'the end of the claim on old is on its way');
    onTheirWay.get('old ended')?.();
    assert.ok(await isOver(ending));
  });
}

test('whom the life followed is let go before it is over, too (P12)', async () => {
  const { outgoing, onTheirWay } = claims();
  outgoing.say(objectWith(), [], at('conflictingOwner'));
  outgoing.say(objectWith(), []);
  const ending = outgoing.endNonCleanupClaims(objectWith());
  assert.not(await isOver(ending), 'the end of the claim on the rival is on its way');
  onTheirWay.get('conflictingOwner ended')?.();
  assert.ok(await isOver(ending));
  assert.ok(await isOver(outgoing.end(objectWith())), 'nothing is left to be waited for');
});

test('what it refers to goes on to be claimed through any number of edits that leave that as it is, also if no life wakes', () => {
  const { outgoing } = claims();
  const edited = (generation: number, ...refs: readonly string[]): KubeObject => {
    const { metadata, ...rest } = objectWith(...refs);
    return { ...rest, metadata: { ...metadata, generation } };
  };
  const key = addressKey(at('net'));
  outgoing.say(edited(1, 'net'), []);
  for (const generation of [2, 3, 4]) {
    outgoing.republishIfChanged(edited(generation, 'net'));
    assert.is(outgoing.since(key, edited(generation, 'net')), 1, 'answers to the first claim count');
  }
  outgoing.republishIfChanged(edited(7, 'net'));
  assert.is(outgoing.since(key, edited(8, 'net')), 7, 'between it may have referred to nothing');
  outgoing.republishIfChanged(edited(8, 'other'));
  assert.is(outgoing.since(key, edited(8, 'net')), 7, 'who refers to something else claims it itself');
});

const CLAIM = {
  uid: 'gone',
  resourceVersion: '5',
  generation: 2,
  finalizers: [],
  manager: '',
  withdrawnFrom: [],
  ended: false,
};

for (const [whose, theirs, isEnded] of [
  ['of the incarnation that is gone', CLAIM, true],
  ['of its successor', { ...CLAIM, uid: 'next' }, false],
  ['that has ended', { ...CLAIM, ended: true }, false],
  ['that was said again since', { ...CLAIM, generation: 3 }, false],
] as const) {
  test(`an answer to who is gone ${isEnded ? 'ends' : 'leaves'} a claim ${whose}, known or found (P4, P12)`, () => {
    const answer = { to: 'gone', generation: 2, uid: '', readiness: 'absent' } as const;
    let asked: boolean | undefined;
    const outbox = (standing: JsonObject | undefined): Outbox =>
      ({
        standing: () => standing,
        forget: () => undefined,
        say: async (_: unknown, mail: JsonObject, mayReplace: MayReplace) => {
          assert.equal([mail['uid'], mail['ended']], ['gone', true]);
          asked = mayReplace(theirs, mail);
        },
      }) as unknown as Outbox;
    endLeft(outbox(theirs), from, at('net'), answer);
    assert.is(asked, isEnded ? true : undefined);
    endLeft(outbox(undefined), from, at('net'), answer);
    assert.is(asked, isEnded);
  });
}

const LAMP = { realm: 'test', plural: 'lamps', namespace: 'ns', name: 'lamp' };

/** A lamp says to its socket what its status says of it, if anything. */
const lamp = simpleKind({
  realm: 'test',
  kind: 'Lamp',
  plural: 'lamps',
  references: ({ status }) => [
    {
      kind: 'Socket',
      name: 'socket',
      finalizers: [],
      neededFor: 'create',
      ...(status?.['watts'] !== undefined && { attributes: { watts: status['watts'] } }),
    },
  ],
});
const socket = simpleKind({ realm: 'test', kind: 'Socket', plural: 'sockets' });

function lampWith(status?: JsonObject, generation = 1): KubeObject {
  const metadata = { name: 'lamp', namespace: 'ns', uid: 'uid', generation, resourceVersion: '1' };
  return { apiVersion: 'example.org/v1', kind: 'Lamp', metadata, ...(status && { status }) };
}

function start(): { readonly claims: ClaimPublisher; readonly said: () => readonly unknown[] } {
  const said: unknown[] = [];
  const outbox = {
    say: async (_: unknown, mail: JsonObject) => void said.push(mail['attributes']),
    forget: () => undefined,
  } as unknown as Outbox;
  const deps = { outbox, registry: registry([lamp, socket], []) };
  const claimant = { kind: lamp, from: LAMP, uid: 'uid', bornVersion: '1', answers: new Answers() };
  return { claims: new ClaimPublisher(deps, claimant), said: () => said };
}

test('what follows from the status is said when that comes to say something, and again when it says something else', () => {
  const { claims, said } = start();
  claims.say(lampWith(), []);
  assert.equal(said(), [undefined]);
  claims.republishIfChanged(lampWith({ color: 'red' }));
  assert.equal(said(), [undefined], 'nothing new is said of its use');
  for (const watts of [40, 40, 60]) claims.republishIfChanged(lampWith({ watts }));
  assert.equal(said(), [undefined, { watts: 40 }, { watts: 60 }]);
});

test('what an edited spec says of uses is claimed by the life', () => {
  const { claims, said } = start();
  claims.say(lampWith({ watts: 40 }), []);
  claims.republishIfChanged(lampWith({ watts: 60 }, 2));
  assert.equal(said(), [{ watts: 40 }]);
});

test('an end says of which generation it is, so that nobody takes it for that of what was referred to again (P8)', async () => {
  const ends: unknown[] = [];
  const outbox = {
    say: async (_: unknown, { ended, generation }: JsonObject) => void (ended === true && ends.push(generation)),
    forget: () => undefined,
  } as unknown as Outbox;
  const deps = { outbox, registry: registry([lamp, socket], []) };
  const unplugged = {
    ...lamp,
    references: ({ metadata }: KubeObject) => (metadata.generation === 1 ? lamp.references(lampWith()) : []),
  };
  const claimant = { kind: unplugged, from: LAMP, uid: 'uid', bornVersion: '1', answers: new Answers() };
  const claims = new ClaimPublisher(deps, claimant);
  claims.say(lampWith(), []);
  claims.say(lampWith(undefined, 2), []);
  assert.equal(ends, [2], 'edited away');
  claims.say(lampWith(), []);
  await claims.end(lampWith(undefined, 5));
  assert.equal(ends, [2, 5], 'gone');
});

test('nothing is said after the end', async () => {
  const { claims, said } = start();
  claims.say(lampWith(), []);
  await claims.end(lampWith());
  const { length } = said();
  claims.republishIfChanged(lampWith({ watts: 40 }));
  assert.is(said().length, length);
});

test.run();
