// `troupe graph` in the languages of those who draw, whatever the names.
import { execFileSync, spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dotOf } from '../../../../actors/cli/graph/dot.ts';
import { mermaidGraphOf } from '../../../../actors/cli/graph/mermaid-graph.ts';
import { type Graph, graphOf } from '../../../../actors/cli/graph/nodes.ts';
import { addressesIn, scanNamespace } from '../../../../actors/diagnosis/namespace-scan.ts';
import { registry } from '../../../../actors/object/registry.ts';
import { needsOf } from '../../../../actors/visualizer/needs.ts';
import { addressKey } from '../../../../bus/mod.ts';
import type { Kind } from '../../../../machines/kind.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { known, NOW, object, readingOf } from '../objects.ts';

const test = suite('graph');

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '__proto__',
  'end',
  'x'.repeat(253),
  '\u202eabc\u200f',
  '"]; n9 [label="',
  '\\N & &lt; #lt; `**b**` \\',
  'two\nlines\u0000',
];

async function graph(...cluster: readonly KubeObject[]): Promise<Graph> {
  const deps = { reading: readingOf(cluster), registry: known, now: NOW };
  return graphOf(await scanNamespace(deps, await addressesIn(deps, 'ns')), 'ns');
}

const subnet = (name: string, networkRef: string): KubeObject =>
  object('Subnet', name, { resource: { networkRef, ipVersion: 4, cidr: '10.0.0.0/24' } });

const hostile = (): Promise<Graph> => graph(...HOSTILE.map((name, index) => subnet(`s${index}`, name)));

test('a node an object, an edge a reference, what is not there among them', async () => {
  const { nodes, edges } = await graph(object('Secret', 'clouds'), object('Network', 'net'), subnet('app', 'net'));
  assert.equal(
    nodes.map(({ id, standing }) => `${id} ${standing}`),
    ['Network/net available', 'Subnet/app available', 'Secret/clouds available'],
  );
  assert.equal(edges, [
    { from: 'Network/net', to: 'Secret/clouds', neededFor: 'always' },
    { from: 'Subnet/app', to: 'Secret/clouds', neededFor: 'always' },
    { from: 'Subnet/app', to: 'Network/net', neededFor: 'create' },
  ]);
  const absent = await graph(subnet('app', 'none'));
  assert.equal(
    absent.nodes.filter(({ standing }) => standing === 'absent').map(({ id }) => id),
    ['Secret/clouds', 'Network/none'],
  );
});

test('33.E3: a reference to a kind that nobody knows ends nothing, and hides no other object', async () => {
  const [first, ...others] = known.kinds;
  assert.ok(first !== undefined);
  const odd: Kind = {
    ...first,
    kind: 'Odd',
    plural: 'odds',
    references: () =>
      ['Unheard', 'Network'].map((kind) => ({ kind, name: 'net', finalizers: [], neededFor: 'create' as const })),
  };
  const secretive = registry([first, ...others, odd], []);
  const reading = readingOf([
    object('Odd', 'done'),
    object('Odd', 'new', { id: '', status: { conditions: [] } }),
    object('Network', 'net'),
    object('Secret', 'clouds'),
  ]);
  const deps = { reading, registry: secretive, now: NOW };
  const survey = await scanNamespace(deps, await addressesIn(deps, 'ns'));
  const { nodes, edges } = graphOf(survey, 'ns');
  assert.equal(nodes.map(({ id, standing }) => `${id} ${standing}`).sort(), [
    'Network/net available',
    'Odd/done available',
    'Odd/new failing',
    'Secret/clouds available',
  ]);
  assert.equal(
    edges.filter(({ from }) => from.startsWith('Odd/')).map(({ from, to }) => `${from} ${to}`),
    ['Odd/done Network/net', 'Odd/new Network/net'],
  );
  const { cause } = [...survey.values()].find(({ finding }) => finding.name === 'new')?.finding ?? {};
  assert.match(cause?.summary ?? '', "kind 'Unheard'");
  const from = { realm: odd.realm, plural: odd.plural, namespace: 'ns', name: 'done' };
  const net = addressKey({ ...from, plural: 'networks', name: 'net' });
  assert.equal(needsOf(object('Odd', 'done'), from, odd, secretive), [net], 'on the page');
});

test('DOT has the names as text', async () => {
  const text = dotOf(await graph(object('Secret', 'clouds'), object('Network', 'net')));
  assert.is(
    text,
    `digraph "ns" {
  rankdir=LR;
  node [shape=box, style="rounded,filled", fontname="sans-serif"];
  n0 [label="Network/net\\navailable", fillcolor="#bfe8c4", tooltip="available"];
  n1 [label="Secret/clouds\\navailable", fillcolor="#bfe8c4", tooltip="available"];
  n0 -> n1;
}
`,
  );
});

if (spawnSync('dot', ['-V']).status === 0) {
  test('Graphviz reads hostile names, and shows them as they are', async () => {
    const all = await hostile();
    const json = JSON.parse(execFileSync('dot', ['-Tjson0'], { input: dotOf(all), encoding: 'utf8' }));
    assert.is(json.objects.length, all.nodes.length);
    assert.is(json.edges.length, all.edges.length);
    const svg = execFileSync('dot', ['-Tsvg'], { input: dotOf(all), encoding: 'utf8' });
    assert.not.match(svg, '<img');
    assert.match(svg, 'Network/&lt;img src=x onerror=alert(1)&gt;');
    assert.match(svg, 'Network/__proto__');
    assert.match(svg, `Network/${'x'.repeat(253)}`);
    assert.match(svg, 'Network/\\u{202e}abc\\u{200f}');
    assert.match(svg, /Network\/\\N(&#160;| )&amp;(&#160;| )&amp;lt;/);
    assert.match(svg, 'Network/two\\u{a}lines\\u{0}');
  });
} else {
  console.log('not tried: Graphviz is not installed');
}

test('Mermaid has hostile names by the numbers of their characters', async () => {
  const text = mermaidGraphOf(await hostile());
  const nodes = text.split('\n').filter((line) => line.includes('["'));
  assert.is(nodes.length, HOSTILE.length * 2 + 1);
  for (const line of nodes) assert.match(line, /^ {2}n\d+\["[A-Za-z0-9 ./#;-]+<br>\w+"\]:::\w+$/);
  const labels = nodes.map((line) =>
    line.replace(/^.*\["|<br>.*$/g, '').replaceAll(/#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))),
  );
  for (const name of ['<img src=x onerror=alert(1)>', '__proto__', 'end', 'x'.repeat(253), '\\u{202e}abc\\u{200f}']) {
    assert.ok(labels.includes(`Network/${name}`), name);
  }
});

test.run();
