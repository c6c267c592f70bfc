// The verdict on hosts notices what is wrong: each rule is broken by one story.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BareMetalHost } from '../../../../machines/bare-metal-host/host.ts';
import { openOrderBook } from '../../../adapters/ironic/order-book.ts';
import type { Entry } from '../../../adapters/ironic/orders.ts';
import { newPassword, tracesOf } from '../../../adapters/ironic/passwords.ts';
import { json, startGateway } from '../../gateway.ts';
import { judgeOrders, leftoversOf } from './invariants.ts';
import { wishesOf, wishesOfDeletion, wishesOfImage, wishesOfNew, wishesOfReboot } from './wishes.ts';

const test = suite('chaos: the verdict on hosts');

const HOST = 'metal~one';
const IMAGE = 'http://images.test/a.raw';
const order = (target: string, status: number | undefined = 202): Entry => ({
  what: 'ordered',
  host: HOST,
  target,
  status,
});
const wish = (what: 'inspection' | 'wiping' | 'removal'): Entry => ({ what: 'wished', host: HOST, wish: what });
const said = (state: string): Entry => ({ what: 'said', host: HOST, state });
const MADE: Entry = { what: 'made', host: HOST };
const SETTLED: Entry = { what: 'settled', host: HOST };
const WRITTEN: Entry = { what: 'written', host: HOST, image: IMAGE };
const REMOVED: Entry = { what: 'removed', host: HOST };

const UP: readonly Entry[] = [
  { what: 'born', host: HOST, disks: 'kept' },
  wish('inspection'),
  { what: 'wished', host: HOST, wish: 'deployment', image: IMAGE },
  MADE,
  order('inspect'),
  said('manageable'),
  order('provide'),
  said('available'),
  order('active'),
  WRITTEN,
  said('active'),
  SETTLED,
];
const DOWN: readonly Entry[] = [wish('wiping'), wish('removal'), order('deleted'), said('available'), REMOVED];

function verdict(entries: readonly Entry[]): readonly string[] {
  const found: string[] = [];
  judgeOrders(entries, (what) => void found.push(what));
  return found;
}

test('a host that comes and goes as it was asked to is none', () => {
  assert.equal(verdict([...UP, ...DOWN]), []);
  const figures = judgeOrders([...UP, ...DOWN], () => undefined);
  assert.equal(figures, { orders: 4, written: 1, wiped: 0, made: 1 });
});

const WRONG: Readonly<Record<string, readonly Entry[]>> = {
  'provisioned twice': [...UP, order('active'), ...DOWN],
  'written twice': [...UP, WRITTEN, ...DOWN],
  'written with what nobody asked for': [...UP.slice(0, -1), { ...WRITTEN, image: 'b' } as Entry, SETTLED, ...DOWN],
  'wiped without being asked': [...UP, order('deleted'), ...DOWN],
  'wiped twice': [...UP, ...DOWN.slice(0, -1), order('deleted'), REMOVED],
  'cleaned without being asked': [...UP, order('clean'), ...DOWN],
  'wiped though its disks are to be kept': [...UP, { what: 'wiped', host: HOST }, ...DOWN],
  'inspected twice': [...UP, order('inspect'), ...DOWN],
  'provided for good when its node was lost': [...UP, MADE, order('provide'), ...DOWN],
  'gone, and its node is there': [...UP, ...DOWN, { what: 'left', host: HOST }],
  'taken out of Ironic without being asked': [...UP, REMOVED, MADE, ...DOWN],
};
for (const [what, entries] of Object.entries(WRONG)) {
  test(`a host is ${what}: one violation`, () => {
    assert.is(verdict(entries).length, 1, verdict(entries).join('\n'));
  });
}

test('a run in which nothing was seen says so', () => {
  assert.equal(
    verdict([]),
    ['inspect', 'provide', 'active', 'deleted'].map((target) => `nothing was seen of '${target}'`),
  );
});

test('whatever is left after the deletion is told: objects, nodes, and that nobody can know', () => {
  const left = { kind: 'BareMetalHost', metadata: { name: 'one', finalizers: ['f'] }, status: {} };
  assert.equal(leftoversOf({ objects: [], nodes: [] }), []);
  assert.equal(leftoversOf({ objects: [left], nodes: [] }), ['BareMetalHost/one is not gone: ["f"] {}']);
  assert.equal(leftoversOf({ objects: [], nodes: [HOST] }), [`the node '${HOST}' is still in Ironic`]);
  assert.equal(leftoversOf({ objects: [], nodes: undefined }), ['Ironic is away']);
});

test('a password of a BMC is found in hexadecimal digits and in base64', () => {
  const password = newPassword();
  const isTold = (text: string): boolean => tracesOf(password).some((trace) => text.includes(trace));
  for (const before of ['', 'a', 'ab']) assert.ok(isTold(Buffer.from(`${before}${password}`).toString('base64')));
  assert.ok(isTold(JSON.stringify({ url: `http://operator:${encodeURIComponent(password)}@bmc` })));
  assert.not(isTold(newPassword()));
});

// --- what is asked of a host --------------------------------------------------------------------------------------

const THERE: BareMetalHost = {
  metadata: { name: 'one' },
  spec: { online: true, image: { url: IMAGE } },
  status: { hardware: {}, provisioning: { state: 'provisioned', image: { url: IMAGE } } },
};
const names = (wishes: readonly { readonly wish: string }[]): readonly string[] => wishes.map((each) => each.wish);

test('what an object says to be done is asked for no more', () => {
  assert.equal(wishesOf(THERE), []);
  assert.equal(names(wishesOf({ ...THERE, status: {} })), ['inspection', 'deployment']);
  assert.equal(names(wishesOf(THERE, { online: true })), ['wiping']);
  assert.equal(names(wishesOf(THERE, { online: true, image: { url: 'b' } })), ['wiping', 'deployment']);
  const under = { ...THERE, status: { hardware: {}, provisioning: { state: 'provisioning', image: { url: IMAGE } } } };
  assert.equal(names(wishesOf(under)), ['deployment']);
  assert.equal(names(wishesOfReboot(under)), ['deployment', 'wiping']);
  assert.equal(names(wishesOfReboot(THERE)), []);
});

test('an image, a new host and a deletion each ask for what they take', () => {
  assert.equal(wishesOfImage({ image: { url: 'b' } }), [{ wish: 'wiping' }, { wish: 'deployment', image: 'b' }]);
  assert.equal(names(wishesOfImage({})), ['wiping']);
  assert.equal(names(wishesOfNew({ spec: { image: { url: 'b' } } })), ['inspection', 'deployment']);
  assert.equal(names(wishesOfDeletion(THERE)), ['wiping', 'removal']);
  const annotations = { 'baremetalhost.metal3.io/detached': '' };
  const out = { ...THERE, metadata: { annotations }, status: { operationalStatus: 'detached' } };
  assert.equal(names(wishesOfDeletion(out)), ['removal']);
  assert.equal(names(wishesOfNew({ ...out, spec: {} })), ['inspection', 'removal']);
  assert.equal(names(wishesOfDeletion({ ...out, metadata: {} })), ['wiping', 'removal'], 'it is being attached');
});

test('of what others have provisioned nothing is asked but that its node goes', () => {
  const spec = { externallyProvisioned: true };
  assert.equal(wishesOfNew({ spec }), []);
  assert.equal(wishesOf({ spec, status: {} }), []);
  assert.equal(names(wishesOfDeletion({ spec })), ['removal']);
});

// --- the book -----------------------------------------------------------------------------------------------------

test('what Ironic did is in the book also when its answer was lost, and not what it never heard', async () => {
  const uuid = '8a5b1c52-6d4e-4c3a-9d5f-0c6f1f0c2a11';
  const ironic = await startGateway(async ({ method }) =>
    method === 'POST'
      ? json(201, { uuid, name: HOST, provision_state: 'enroll' })
      : json(method === 'PUT' ? 202 : 204, ''),
  );
  let fate: 'passes' | 'outcomeUnknown' | 'unheard' = 'passes';
  const book = await openOrderBook(`http://127.0.0.1:${ironic.port}`, {
    async meet(_, goOn) {
      if (fate === 'unheard') return undefined;
      const given = await goOn();
      return fate === 'outcomeUnknown' ? undefined : given;
    },
  });
  const ask = (method: string, path: string, body?: object): Promise<unknown> =>
    fetch(`${book.url}${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) }).catch(
      () => undefined,
    );
  try {
    await ask('POST', '/v1/nodes', { name: HOST });
    fate = 'outcomeUnknown';
    await ask('PUT', `/v1/nodes/${uuid}/states/provision`, { target: 'inspect' });
    fate = 'unheard';
    await ask('PUT', `/v1/nodes/${uuid}/states/provision`, { target: 'active' });
    fate = 'passes';
    await ask('DELETE', `/v1/nodes/${uuid}`);
    assert.equal(book.entries, [MADE, said('enroll'), order('inspect'), REMOVED]);
  } finally {
    await book.close();
    await ironic.close();
  }
});

test.run();
