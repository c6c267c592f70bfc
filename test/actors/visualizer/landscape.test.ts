// How the page arranges what it knows: groups, drawn claims, root causes, search, columns of cards, and the levels that fit. The demo's
// landscape is the measure.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { columnsOf, linksOf } from '../../../actors/visualizer/page/card-columns.ts';
import { heightOf, missing, missingRoots, rootsAmong } from '../../../actors/visualizer/page/cards.ts';
import { causesOf, wayTo } from '../../../actors/visualizer/page/causes.ts';
import { groupByKey, groupsOf } from '../../../actors/visualizer/page/groups.ts';
import { type Landscape, Landscapes } from '../../../actors/visualizer/page/landscape.ts';
import { sorted } from '../../../actors/visualizer/page/list.ts';
import { squareAt, squaresOf } from '../../../actors/visualizer/page/map-paint.ts';
import { lifelinesOf } from '../../../actors/visualizer/page/messages.ts';
import { Model } from '../../../actors/visualizer/page/model.ts';
import { aroundGroup, groupGraphOf, neighborsOf } from '../../../actors/visualizer/page/neighbors.ts';
import { reduced } from '../../../actors/visualizer/page/reduction.ts';
import { ribbonsOf } from '../../../actors/visualizer/page/ribbons.ts';
import { START, type State } from '../../../actors/visualizer/page/state.ts';
import { parted } from '../../../actors/visualizer/page/text.ts';
import { broken, company, keyOf, REGISTRY, tree } from './company.ts';

const test = suite("the page's landscape");
const NOW = 1_000_000;
const PORTS = company().filter(({ kind }) => kind === 'Port').length;
const MEASURED = keyOf('SecurityGroup', 'measured');
const PUBLIC = keyOf('Network', 'public');

function modelOf(trees = broken(company(), NOW)): Model {
  const model = new Model();
  const kinds = REGISTRY.resources.map(({ kind, realm, plural }) => ({
    kind,
    realm,
    plural,
    machine: REGISTRY.kind({ realm, plural }) === undefined ? '' : 'm',
  }));
  model.hello = { version: '', bus: '', server: '', keepsHistory: true, kinds };
  model.takeSnapshot({ at: Date.now(), trees });
  return model;
}

function landscapeOf(model: Model, more: Partial<State> = {}): Landscape {
  return new Landscapes(model).at({ ...START, ...more });
}

test("35.A1: the demo's 136 objects are seven groups, computed from their claims", () => {
  const trees = company();
  assert.is(trees.length, 136);
  const counts = groupsOf(trees, 'project').map(({ name, keys }) => `${name} ${keys.length}`);
  assert.equal(counts.sort(), [
    'Hosts 10',
    'Shared 28',
    'back-office 11',
    'build 13',
    'operations 23',
    'shop 30',
    'warehouse 21',
  ]);
  const by = groupByKey(groupsOf(trees, 'project'));
  // A server goes with its port, a flavor with all that use it, and what several projects use is shared.
  assert.is(by.get(keyOf('Server', 'shop-web-1'))?.name, 'shop');
  assert.is(by.get(keyOf('Flavor', 'huge'))?.name, 'warehouse');
  assert.is(by.get(MEASURED)?.name, 'Shared');
});

test('35.A1: objects are grouped by namespace, kind or nothing as well, and by namespace where there are several', () => {
  const trees = [...company(), ...company('other')];
  assert.equal(
    groupsOf(trees, 'namespace').map(({ name, keys }) => `${name} ${keys.length}`),
    ['company-cloud 136', 'other 136'],
  );
  assert.is(groupsOf(trees, 'nothing').length, 1);
  assert.ok(groupsOf(trees, 'kind').some(({ name, keys }) => name === 'Port' && keys.length === 2 * PORTS));
  assert.is(landscapeOf(modelOf(trees)).by, 'namespace');
  assert.is(landscapeOf(modelOf(trees), { namespace: 'other' }).by, 'project');
});

test('35.A1: groups stay as they are while states change', () => {
  const model = modelOf(company());
  const landscapes = new Landscapes(model);
  const before = landscapes.at(START);
  const port = model.trees.get(keyOf('Port', 'report'));
  if (port === undefined) throw new Error('there is no such port');
  model.takeChanges({ at: 0, trees: [{ ...port, tone: 'failing' }], gone: [], steps: [], missed: 0 });
  const after = landscapes.at(START);
  assert.is(after.groups, before.groups);
  assert.is(after.needs, before.needs);
  assert.is.not(after.causes, before.causes);
  model.takeChanges({ at: 0, trees: [{ ...port, needs: [] }], gone: [], steps: [], missed: 0 });
  assert.is.not(landscapes.at(START).groups, before.groups);
});

test('35.A1: a claim that follows from others is not drawn; what it leads to is still reached', () => {
  const drawn = reduced(
    new Map([
      ['a', ['b', 'c', 'd']],
      ['b', ['c']],
      ['c', ['d']],
      ['d', []],
    ]),
  );
  assert.equal(
    [...drawn],
    [
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['d']],
      ['d', []],
    ],
  );
  // In a circle no claim follows from the others alone.
  const circle = reduced(
    new Map([
      ['a', ['b', 'c']],
      ['b', ['a', 'c']],
      ['c', []],
    ]),
  );
  assert.equal(circle.get('a')?.includes('b'), true);
  assert.equal(circle.get('b')?.includes('a'), true);
  const { needs, claims } = landscapeOf(modelOf());
  const count = [...needs.values()].reduce((sum, { length }) => sum + length, 0);
  assert.ok(count < claims * 0.9, `${count} of ${claims}`);
});

test('35.A1: root causes are known with what they block, the one that blocks most first', () => {
  const { causes } = landscapeOf(modelOf());
  assert.equal(
    [...causes.blockedBy].map(([key, blocked]) => [key, blocked.length]),
    [
      [MEASURED, 28],
      [PUBLIC, 15],
      [keyOf('Service', 'stock'), 4],
    ],
  );
  assert.equal(causes.rootsOf.get(keyOf('Server', 'shop-web-1')), [MEASURED]);
  const server = keyOf('Server', 'shop-web-1');
  const all = landscapeOf(modelOf());
  assert.equal(
    wayTo(MEASURED, server, (key) => all.byKey.get(key)?.needs ?? []),
    [server, keyOf('Port', 'shop-web-1'), MEASURED],
  );
});

test('35.A: what waits for a person is a root cause: it waits, and all that it needs is available', () => {
  const all = [
    tree({ key: 'x.y.n.a', kind: 'Server', name: 'a', tone: 'waiting', since: 0, needs: ['x.y.n.b'] }),
    tree({ key: 'x.y.n.b', kind: 'Port', name: 'b' }),
    tree({
      key: 'x.y.n.c',
      kind: 'Server',
      name: 'c',
      tone: 'waiting',
      since: 0,
      needs: ['x.y.n.gone', 'core.secrets.n.s'],
    }),
  ];
  const isKnown = (key: string): boolean => key.startsWith('x.');
  const { blockedBy } = causesOf(all, isKnown, 60_000);
  assert.equal([...blockedBy.keys()].sort(), ['x.y.n.a', 'x.y.n.gone'], 'also what is missing, and no Secret');
  assert.is(causesOf(all, isKnown, 1_000).blockedBy.size, 0, 'what begins to wait may go on at once');
});

test('35.A1: search takes terms that all have to match, by any field or by one, ID and address among them', () => {
  const model = modelOf([
    tree({
      key: keyOf('Network', 'front'),
      kind: 'Network',
      name: 'front',
      id: '8f1c07aa',
      addresses: ['10.0.0.7', 'fd00::7'],
      said: 'the quota is used up',
      tone: 'failing',
    }),
    tree({ key: keyOf('Port', 'front'), kind: 'Port', name: 'front', needs: [keyOf('Network', 'front')] }),
  ]);
  const hits = (text: string, more: Partial<State> = {}): number =>
    landscapeOf(model, { text, ...more }).hits?.size ?? -1;
  assert.is(hits(''), -1, 'nothing is looked for');
  for (const text of [
    'front',
    'FRONT port',
    'kind:port',
    'id:8f1c',
    '10.0.0.7',
    'fd00::7',
    'ip:10.0',
    'quota',
    'state:failing',
    'network/fr',
    'group:shared',
  ]) {
    assert.ok(hits(text) > 0, text);
  }
  assert.is(hits('front'), 2);
  assert.is(hits('front quota'), 1, 'terms combine');
  assert.is(hits('kind:port quota'), 0);
  assert.is(hits('front', { tones: ['failing'] }), 1, 'states combine with terms');
});

test('35.A1: what several groups need stands on the left, who needs it on the right, and nobody is lost', () => {
  const landscape = landscapeOf(modelOf());
  const links = linksOf(landscape.groupOf, landscape.needs);
  const columns = columnsOf(landscape.groups, links, 3, ({ keys }) => keys.length).map((groups) =>
    groups.map(({ name }) => name),
  );
  assert.is(columns[0]?.[0], 'Shared');
  assert.not.ok(columns[0]?.includes('shop'));
  assert.is(columns.flat().length, landscape.groups.length);
});

test('35.A1: ribbons are one a pair of groups, and run outside of the cards', () => {
  const landscape = landscapeOf(modelOf());
  const links = linksOf(landscape.groupOf, landscape.needs);
  const columns = columnsOf(landscape.groups, links, 3, () => 100).map((groups) => groups.map(({ id }) => id));
  const boxes = new Map(
    columns.flatMap((ids, column) =>
      ids.map(
        (id, row) =>
          [id, { left: column * 400, right: column * 400 + 340, top: row * 220, bottom: row * 220 + 200 }] as const,
      ),
    ),
  );
  const ribbons = ribbonsOf(links, columns, boxes);
  assert.is(ribbons.length, links.length);
  assert.is(new Set(ribbons.map(({ link }) => `${link.from}>${link.to}`)).size, links.length);
  for (const { path, link } of ribbons) {
    // Turns of a ribbon are its points of control: none lies inside of a card.
    const turns = [...path.matchAll(/Q([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
    for (const [x, y] of turns) {
      const inside = [...boxes.values()].some((box) => x > box.left && x < box.right && y > box.top && y < box.bottom);
      assert.not.ok(inside, `${link.from} to ${link.to} turns inside a card at ${x} ${y}`);
    }
  }
});

test('35.A2: neighbors of an object are what it needs, who needs it, and every way to its root causes; many of a kind are one stack', () => {
  const model = modelOf();
  const landscape = landscapeOf(model);
  const shown = neighborsOf(landscape, MEASURED, (key) => model.dependentsOf(key));
  const stack = shown.items.find(({ id }) => id === 'stack Port');
  assert.is(stack?.keys.length, 12);
  assert.ok(shown.edges.some(({ from, to }) => from === MEASURED && to === 'stack Port'));
  const server = neighborsOf(landscape, keyOf('Server', 'shop-web-1'), (key) => model.dependentsOf(key));
  assert.ok(
    server.items.some(({ id }) => id === MEASURED),
    'the root cause, two steps away',
  );
});

test('35.A1: a group is drawn with what it waits for outside, and names the rest', () => {
  const model = modelOf();
  const landscape = landscapeOf(model);
  const shop = landscape.groups.find(({ name }) => name === 'shop');
  if (shop === undefined) throw new Error('there is no shop');
  const { items, lone } = groupGraphOf(landscape, shop);
  assert.equal(
    items
      .filter(({ isOuter }) => isOuter)
      .map(({ id }) => id)
      .sort(),
    [PUBLIC, MEASURED].sort(),
  );
  assert.is(items.length - 2 + lone.length, 30);
  const { has, neededBy } = aroundGroup(landscape, shop, (key) => model.dependentsOf(key));
  assert.ok(has.includes(keyOf('Image', 'debian')));
  assert.equal(
    [...neededBy].map(([{ name }, count]) => `${name} ${count}`),
    ['operations 1'],
  );
});

test('35.A1: the list sorts by any column; the worst come first, of equals those that block most', () => {
  const landscape = landscapeOf(modelOf());
  const first = (more: Partial<State>): readonly string[] =>
    sorted(landscape.trees, landscape, { ...START, ...more })
      .slice(0, 3)
      .map(({ name }) => name);
  assert.equal(first({}), ['public', 'measured', 'stock']);
  assert.is(first({ sort: 'name' })[0], 'admin');
  assert.is(first({ sort: 'name', isDescending: true })[0], 'web');
});

test('35.A1: a square of the map is found where it was drawn; the worst are first', () => {
  const squares = squaresOf(broken(company(), NOW), 200);
  assert.is(squares.trees.length, 136);
  for (const [index, found] of squares.trees.entries()) {
    const [x, y] = squares.places[index] ?? [0, 0];
    assert.is(squareAt(squares, x + 3, y + 3), found);
  }
  assert.ok(squares.height < 400);
});

test('root causes of a group are pinned on its card', () => {
  const landscape = landscapeOf(modelOf());
  assert.equal(
    rootsAmong(landscape, landscape.trees).map(({ name }) => name),
    ['measured', 'public', 'stock'],
  );
});

test('35.A1: a dependency that does not exist is a root cause on top of the card of what it blocks', () => {
  const gone = keyOf('Network', 'shop-web');
  const model = modelOf(
    company()
      .filter(({ key }) => key !== gone)
      .map((each) => (each.needs.includes(gone) ? { ...each, tone: 'waiting' as const, since: 1 } : each)),
  );
  const landscape = landscapeOf(model);
  const shop = landscape.groups.find(({ name }) => name === 'shop');
  const shared = landscape.groups.find(({ name }) => name === 'Shared');
  if (shop === undefined || shared === undefined) throw new Error('there is no such group');
  assert.equal(
    [missingRoots(landscape), missingRoots(landscape, shop), missingRoots(landscape, shared)],
    [[gone], [gone], []],
  );
  const { kind, name, tone } = missing(gone, (key) => model.named(key));
  assert.equal([kind, name, tone], ['Network', 'shop-web', 'absent']);
  const size = { level: 'tiles', columns: 3, width: 460, isFolded: false } as const;
  const without = { ...landscape, causes: { blockedBy: new Map(), rootsOf: new Map() } };
  assert.ok(heightOf(landscape, shop, size) > heightOf(without, shop, size), 'the card has room for it');
});

test('messages begin with the way from what waits to the worst root cause, at most six lifelines', () => {
  const model = modelOf();
  const landscape = landscapeOf(model);
  const lines = lifelinesOf('', landscape, (key) => model.dependentsOf(key));
  assert.is(lines[0], MEASURED);
  assert.ok(lines.length >= 3 && lines.length <= 6, `${lines.length}`);
  for (const { key } of landscape.trees)
    assert.ok(lifelinesOf(key, landscape, (each) => model.dependentsOf(each)).length <= 6);
});

test('a name that does not fit loses its middle: the end stays', () => {
  assert.equal(parted('warehouse-deployer'), ['warehouse', '-deployer']);
  assert.equal(parted('short'), ['short', '']);
  assert.equal(parted('operationsteamofthestock'), ['operationsteamofthe', 'stock']);
});

test('35.A: kinds without a life here are called by their kind, and nobody takes them for missing', () => {
  const model = modelOf();
  for (const kind of ['HardwareData', 'FirmwareSchema']) {
    const other = REGISTRY.resources.find((each) => each.kind === kind);
    if (other === undefined) throw new Error(`nobody refers to ${kind} any more`);
    const key = `${other.realm}.${other.plural}.n.one`;
    assert.is(model.named(key).kind, kind);
    assert.not.ok(model.isOurs(key), kind);
  }
  assert.ok(model.isOurs(MEASURED));
});

test.run();
