import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Ink } from '../../../../actors/cli/colors.ts';
import { History, State } from '../../../../actors/cli/demo/history.ts';
import { type LandscapeObject, NAMESPACE } from '../../../../actors/cli/demo/landscape.ts';
import {
  creationOrder,
  deletionOrder,
  longestChain,
  mostInFlight,
  reactions,
} from '../../../../actors/cli/demo/summary.ts';
import { layout, legend, treeOf } from '../../../../actors/cli/demo/view.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import { Tag } from '../../../../machines/lifecycle.ts';
import { tagsAt } from '../../../machines/external-resource/states.ts';

const test = suite('demo view');

const PLURALS: Readonly<Record<string, string>> = { subnet: 'subnets', network: 'networks', project: 'projects' };

function object(key: string, ...references: string[]): LandscapeObject {
  const [kind = '', name = ''] = key.split('/');
  const plural = PLURALS[kind] ?? `${kind}s`;
  return {
    key,
    kind: kind.replace(/^./, (letter) => letter.toUpperCase()),
    plural,
    name,
    references,
    guarded: references,
    path: '',
    manifest: {},
  };
}

const OBJECTS = [
  object('subnet/web-v4', 'secret/cloud', 'network/web', 'project/shop'),
  object('subnet/web-v6', 'secret/cloud', 'network/web', 'project/shop'),
  object('subnet/lost', 'secret/cloud', 'network/none'),
  object('network/web', 'secret/cloud', 'project/shop'),
  object('network/app', 'secret/cloud', 'project/shop'),
  object('project/shop', 'secret/cloud'),
  object('secret/cloud'),
];

interface Reporter {
  readonly history: History;
  /** An object enters a state of its chart. */
  enter(key: string, state: string, at?: number): void;
  /** A request for an object. */
  call(key: string, method: string, path: string, beganAt: number, endedAt: number): void;
}

function teller(): Reporter {
  const history = new History(NAMESPACE);
  history.expect(OBJECTS);
  const report = (key: string, type: string, data: JsonObject, at: number): void => {
    const { plural, name } = OBJECTS.find((candidate) => candidate.key === key) as LandscapeObject;
    history.take({ actor: { realm: 'openstack', plural, namespace: NAMESPACE, name }, type, data, at });
  };
  return {
    history,
    enter: (key, state, at = 0) => report(key, 'transition', { to: state, tags: tagsOf(state) }, at),
    call: (key, method, path, beganAt, endedAt) =>
      report(key, 'call', { method, path, durationMs: endedAt - beganAt }, endedAt),
  };
}

/** Of a state of a resource, or of a Secret's guard. */
function tagsOf(state: string): readonly string[] {
  if (state === 'idle') return [Tag.Settled];
  if (state === 'held') return [Tag.Deleting, Tag.Held];
  return [...tagsAt(state), ...(state === 'idle.available' ? [Tag.Available] : [])];
}

function picture({ history }: Reporter, columns = 80, rows = 24): readonly string[] {
  return layout('1.00 s', treeOf(history), { columns, rows }, Ink.Plain);
}

test('objects stand below what they refer to, and below a place holder for what is not there', () => {
  const reported = teller();
  reported.enter('secret/cloud', 'idle');
  reported.enter('project/shop', 'idle.available');
  reported.enter('network/web', 'building.creating');
  reported.enter('subnet/web-v4', 'claiming.awaitingDependencies');
  reported.enter('subnet/lost', 'claiming.awaitingDependencies');
  assert.equal(picture(reported), [
    'company-cloud  1.00 s',
    '├─ · network/none  not there yet',
    '│  └─ ○ subnet/lost  waiting for network/none',
    '├─ ● project/shop',
    '│  ├─ · network/app',
    '│  └─ ◐ network/web  creating',
    '│     ├─ ○ subnet/web-v4  waiting for network/web',
    '│     └─ · subnet/web-v6',
    '└─ ● secret/cloud',
  ]);
});

test('what does not fit is folded, what is all of one state first (CLI-VIEW-2)', () => {
  const reported = teller();
  for (const key of ['network/web', 'subnet/web-v4', 'subnet/web-v6', 'network/app'])
    reported.enter(key, 'idle.available');
  reported.enter('secret/cloud', 'idle');
  reported.enter('project/shop', 'reconciling.updating');
  reported.enter('subnet/lost', 'claiming.awaitingDependencies');
  assert.equal(picture(reported, 80, 8), [
    'company-cloud  1.00 s',
    '├─ · network/none  not there yet',
    '│  └─ ○ subnet/lost  waiting for network/none',
    '├─ ◐ project/shop  creating',
    '│  ├─ ● network/app',
    '│  └─ ● network/web  ●●',
    '└─ ● secret/cloud',
  ]);
  assert.equal(picture(reported, 80, 4), [
    'company-cloud  1.00 s',
    '├─ · network/none  not there yet  ○',
    '├─ ◐ project/shop  creating  ●●●●',
    '└─ ● secret/cloud',
  ]);
  assert.equal(picture(reported, 80, 3).at(-1), '… 2 more');
});

test('what stands alone shares a line with its kind where there is no room, and leaves the room to the rest (CLI-VIEW-2)', () => {
  const history = new History(NAMESPACE);
  const many = ['a', 'b', 'c', 'd'].map((name) => object(`flavor/${name}`));
  history.expect([...OBJECTS, ...many]);
  for (const name of ['a', 'b', 'c', 'd']) {
    const tags = tagsOf(name === 'd' ? 'building.creating' : 'idle.available');
    const actor = { realm: 'openstack', plural: 'flavors', namespace: NAMESPACE, name };
    history.take({ actor, type: 'transition', data: { tags: [...tags] }, at: 0 });
  }
  assert.equal(layout('', treeOf(history), { columns: 80, rows: 10 }, Ink.Plain).slice(1), [
    '├─ ◐ flavor/*  ●●●◐',
    '├─ · network/none  not there yet',
    '│  └─ · subnet/lost',
    '├─ · project/shop',
    '│  ├─ · network/app',
    '│  └─ · network/web',
    '│     ├─ · subnet/web-v4',
    '│     └─ · subnet/web-v6',
    '└─ · secret/cloud',
  ]);
});

test('the legend has every symbol that a picture may have', () => {
  const text = legend(true, Ink.Plain);
  const symbols = new Set(
    Object.values(State).flatMap((state) => {
      const [, line = ''] = layout(
        '',
        [{ label: 'x', state, detail: '', children: [] }],
        { columns: 80, rows: 5 },
        Ink.Plain,
      );
      return /└─ (\S) x/.exec(line)?.[1] ?? [];
    }),
  );
  assert.is(symbols.size, 8);
  for (const symbol of symbols) assert.ok(text.includes(`${symbol} `), `${symbol} in ${text}`);
});

test('no line is wider and no picture higher than the terminal, whatever its size (CLI-VIEW-1)', () => {
  const reported = teller();
  reported.enter('subnet/web-v4', 'claiming.awaitingDependencies');
  for (let rows = 1; rows < 12; rows++) {
    for (let columns = 1; columns < 60; columns++) {
      const lines = picture(reported, columns, rows);
      assert.ok(lines.length <= rows, `${lines.length} lines in ${rows} rows`);
      for (const line of lines) assert.ok([...line].length <= columns, `'${line}' in ${columns} columns`);
    }
  }
});

test('it is settled when all is ready but what waits for something that is not there', () => {
  const reported = teller();
  for (const { key } of OBJECTS) reported.enter(key, key.startsWith('secret') ? 'idle' : 'idle.available');
  assert.ok(reported.history.isSettled());
  reported.enter('subnet/lost', 'claiming.awaitingDependencies');
  assert.ok(reported.history.isSettled());
  reported.enter('network/app', 'building.creating');
  assert.not(reported.history.isSettled());
  reported.enter('network/app', 'failed');
  assert.ok(reported.history.isSettled());
  assert.is(reported.history.state('network/app'), State.Failed);
});

test('figures: the longest chain, the order both ways, parallelism and reaction', () => {
  const reported = teller();
  const { history } = reported;
  const objects = OBJECTS.filter(({ key }) => key !== 'subnet/lost');
  const stretch = { history, objects, beganAt: 1_000 };
  reported.enter('secret/cloud', 'idle', 900);
  reported.call('project/shop', 'POST', '/projects', 1_010, 1_100);
  reported.enter('project/shop', 'idle.available', 1_100);
  reported.enter('network/app', 'building.creating', 1_102);
  reported.enter('network/web', 'building.creating', 1_104);
  reported.call('network/web', 'POST', '/networks', 1_105, 1_180);
  reported.call('network/app', 'POST', '/networks', 1_108, 1_190);
  reported.enter('network/app', 'idle.available', 1_200);
  reported.enter('network/web', 'idle.available', 1_300);
  reported.call('subnet/web-v4', 'POST', '/auth/tokens', 1_000, 1_010);
  reported.call('subnet/web-v4', 'POST', '/subnets', 1_305, 1_350);
  reported.enter('subnet/web-v4', 'idle.available', 1_400);
  reported.enter('subnet/web-v6', 'idle.available', 1_390);
  assert.equal(longestChain(stretch), [
    { key: 'project/shop', durationMs: 100 },
    { key: 'network/web', durationMs: 200 },
    { key: 'subnet/web-v4', durationMs: 100 },
  ]);
  assert.equal(creationOrder(stretch), { kept: 8, broken: [] });
  assert.is(mostInFlight(stretch), 2);
  assert.equal(reactions(stretch), { decidedMs: [2, 4], askedMs: [5, 5, 8] });

  reported.call('network/web', 'DELETE', '/networks/1', 2_000, 2_050);
  reported.call('subnet/web-v4', 'DELETE', '/subnets/1', 1_900, 2_010);
  reported.call('project/shop', 'DELETE', '/projects/1', 2_060, 2_070);
  assert.equal(deletionOrder(stretch), { kept: 2, broken: ['subnet/web-v4 before network/web'] });
});

test.run();
