// The forest that `troupe tree` draws, of objects as the API server has them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Ink } from '../../../../actors/cli/colors.ts';
import { treesOf, treesText } from '../../../../actors/cli/tree/trees.ts';
import { truncateToTerminal } from '../../../../actors/cli/truncate.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { known, NOW, object, readingOf, type Saying } from '../objects.ts';

const test = suite('forest');

const clouds = object('Secret', 'clouds');
const waiting: Saying = { id: '', says: ['Progressing', 'Waiting for Network/net to be ready'] };
const net = object('Network', 'net');
const subnet = (name: string, saying: Saying = {}): KubeObject =>
  object('Subnet', name, { resource: { networkRef: 'net', ipVersion: 4, cidr: '10.0.0.0/24' }, ...saying });
const port = object('Port', 'port', { resource: { networkRef: 'net', addresses: [{ subnetRef: 'app' }] } });

interface Asked {
  readonly kind: string;
  readonly name: string;
  readonly direction: 'needs' | 'dependents';
}

async function drawn(cluster: readonly KubeObject[], asked?: Asked, ink: Ink = Ink.Plain): Promise<string> {
  const deps = { reading: readingOf(cluster), registry: known, now: NOW };
  const root = asked && {
    realm: asked.kind === 'Secret' ? 'core' : 'openstack',
    plural: `${asked.kind.toLowerCase()}s`,
    namespace: 'ns',
    name: asked.name,
  };
  const trees = await treesOf(deps, { namespace: 'ns', root, direction: asked?.direction ?? 'needs' });
  return treesText(trees, 'ns', ink);
}

test('below what needs nothing stand those that need it; what comes up again is marked (CLI-FOREST-1)', async () => {
  assert.is(
    await drawn([clouds, net, subnet('app'), port, object('Project', 'alone')]),
    `Network/net  available for 40 s
├─ Port/port  available for 40 s
└─ Subnet/app  available for 40 s
   └─ Port/port  available for 40 s, see above
Project/alone  available for 40 s
`,
  );
});

test('what does not exist is a root, with those that wait for it', async () => {
  assert.is(
    await drawn([clouds, subnet('app', waiting)]),
    `Network/net  absent
└─ Subnet/app  waiting for 40 s: Waiting for Network/net to be ready
`,
  );
  assert.match(await drawn([net]), /^Secret\/clouds {2}absent\n└─ Network\/net {2}available/);
});

test('a namespace without objects says so', async () => {
  assert.is(await drawn([clouds]), 'namespace ns holds none of the objects that troupe manages\n');
});

test('of one object: what it needs, or who needs it', async () => {
  const all = [clouds, net, subnet('app'), subnet('other'), port];
  assert.is(
    await drawn(all, { kind: 'Port', name: 'port', direction: 'needs' }),
    `Port/port  available for 40 s
├─ Network/net  available for 40 s
│  └─ Secret/clouds  available
├─ Secret/clouds  available, see above
└─ Subnet/app  available for 40 s
   ├─ Network/net  available for 40 s, see above
   └─ Secret/clouds  available, see above
`,
  );
  assert.is(
    await drawn(all, { kind: 'Subnet', name: 'app', direction: 'dependents' }),
    'Subnet/app  available for 40 s\n└─ Port/port  available for 40 s\n',
  );
  assert.is(await drawn(all, { kind: 'Network', name: 'none', direction: 'needs' }), 'Network/none  absent\n');
});

test('a circle is drawn, and ends where it began (CLI-FOREST-2)', async () => {
  const ring = (name: string, next: string): KubeObject => object('Ring', name, { resource: { next } });
  assert.is(
    await drawn([ring('a', 'b'), ring('b', 'a'), ring('self', 'self')]),
    `Ring/a  available for 40 s
└─ Ring/b  available for 40 s
   └─ Ring/a  available for 40 s, see above
Ring/self  available for 40 s
└─ Ring/self  available for 40 s, see above
`,
  );
});

test('names that are no names come out as text, and colors are for standings alone', async () => {
  const hostile = '\u202e\u001b[31m<img src=x onerror=alert(1)>';
  const odd = object('Subnet', 'app', { resource: { networkRef: hostile } });
  const text = await drawn([clouds, odd]);
  assert.match(text, /^Network\/\\u\{202e\}\\u\{1b\}\[31m<img src=x onerror=alert\(1\)> {2}absent\n/);
  const colored = await drawn([clouds, net], undefined, Ink.Color);
  assert.is(colored, 'Network/net  \u001b[32mavailable\u001b[0m for 40 s\n');
});

test('on a terminal, lines and their ends that have no room are missing, and it says so', () => {
  const lines = ['one', 'two \u001b[32mgreen\u001b[0m two', 'three', 'four'];
  assert.equal(truncateToTerminal(lines, { columns: 80, rows: 4 }), lines);
  assert.equal(truncateToTerminal(lines, { columns: 8, rows: 3 }), ['one', 'two \u001b[32mgre\u001b[0m…', '… 2 more']);
});

test.run();
