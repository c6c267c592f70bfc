// HostDeployPolicy and the selection by labels: who may claim, and what is chosen from.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  claimableNamespaces,
  type HostDeployPolicy,
  isNameMatched,
  isNamespaceAccepted,
} from '../../../../adapters/ironic/host/host-deploy-policy.ts';
import { type HostSelector, isSelected } from '../../../../adapters/ironic/host/label-selector.ts';

const test = suite('host deploy policy');

const labels = { team: 'a', empty: '' };
const policyOf = (hostClaimNamespaces: unknown, namespace = 'hosts'): HostDeployPolicy =>
  ({ metadata: { namespace }, spec: { hostClaimNamespaces } }) as HostDeployPolicy;

/** Constraints, and whether the namespace `prod` with these labels is accepted. */
const policies: readonly (readonly [unknown, boolean])[] = [
  [undefined, false],
  [null, false],
  [{}, false],
  [{ names: [], nameMatches: '', hasLabels: [] }, false],
  [{ names: null, nameMatches: null, hasLabels: null }, false],
  [{ names: ['prod'] }, true],
  [{ names: ['other', 'prod'] }, true],
  [{ names: ['other'] }, false],
  [{ nameMatches: 'prod' }, true],
  [{ nameMatches: 'test' }, false],
  [{ hasLabels: [{ name: 'team', value: 'a' }] }, true],
  [{ hasLabels: [{ name: 'team', value: 'b' }] }, false],
  [{ hasLabels: [{ name: 'team' }] }, true],
  [{ hasLabels: [{ name: 'team', value: '' }] }, true],
  [{ hasLabels: [{ name: 'empty', value: null }] }, true],
  [{ hasLabels: [{ name: 'empty', value: 'x' }] }, false],
  [{ hasLabels: [{ name: 'absent' }] }, false],
  [{ hasLabels: [{ name: 'constructor' }] }, false],
  [{ hasLabels: [{ name: 'team' }, { name: 'absent' }] }, false],
  [{ names: ['prod'], nameMatches: 'test' }, false],
  [{ names: ['prod'], hasLabels: [{ name: 'absent' }] }, false],
  [{ names: [], nameMatches: 'prod' }, true],
  [{ names: ['prod'], nameMatches: 'p.*', hasLabels: [{ name: 'team' }] }, true],
];

for (const [constraints, isAccepted] of policies) {
  test(`${JSON.stringify(constraints)} ${isAccepted ? 'accepts' : 'refuses'}`, () => {
    assert.is(isNamespaceAccepted(policyOf(constraints), { name: 'prod', labels }), isAccepted);
  });
}

test('a namespace without labels has none', () => {
  for (const none of [undefined, null]) {
    assert.not(isNamespaceAccepted(policyOf({ hasLabels: [{ name: 'team' }] }), { name: 'prod', labels: none }));
  }
  assert.not(isNamespaceAccepted({ metadata: {}, spec: null }, { name: 'prod' }));
});

/** Pattern, name, and whether it is meant (IRONIC-HOST-DEPLOY-POLICY-3). */
const patterns: readonly (readonly [string, string, boolean])[] = [
  ['prod', 'prod', true],
  ['prod', 'not-prod', false],
  ['prod', 'production', false],
  ['prod.*', 'production', true],
  ['.*prod.*', 'not-production', true],
  ['a|b', 'a', true],
  ['a|b', 'ab', false],
  ['(?i)PROD', 'prod', true],
  ['team-[0-9]+', 'team-17', true],
  ['team-[0-9]+', 'team-17a', false],
  ['^prod', 'prod-1', true],
  ['^prod', 'not-prod', false],
  ['prod$', 'not-prod', true],
  ['prod$', 'prod-1', false],
  ['^prod$', 'prod', true],
  ['^prod$', 'not-prod', false],
  ['(^a|b$)', 'xb', true],
  ['\\Aprod', 'prod-1', true],
  ['prod\\z', 'not-prod', true],
  // The characters alone are no anchors.
  ['[^x]rod', 'prod', true],
  ['[^x]rod', 'not-prod', false],
  ['[]^$]*prod', 'not-prod', false],
  ['[a\\]$]*prod', 'not-prod', false],
  ['\\^?prod\\$?', 'prod', true],
  ['\\^?prod\\$?', 'not-prod', false],
  // Nobody can read these.
  ['(', 'prod', false],
  ['prod(?=x)', 'prod', false],
  ['(a)\\1', 'aa', false],
  ['*', 'prod', false],
  ['a{2000}', 'a', false],
  [`prod|${'x'.repeat(2000)}`, 'prod', false],
];

for (const [pattern, name, isMatched] of patterns) {
  test(`'${pattern.slice(0, 30)}' ${isMatched ? 'means' : 'does not mean'} '${name}'`, () => {
    assert.is(isNameMatched(pattern, name), isMatched);
  });
}

test('no pattern takes long (IRONIC-HOST-DEPLOY-POLICY-4)', () => {
  // What goes back and forth over them would not come to an end.
  for (const pattern of ['(a+)+$', '(a|aa)+b', '(.*a){20}', '['.repeat(1000), '\\'.repeat(1000), '[^'.repeat(500)]) {
    isNameMatched(pattern, 'a'.repeat(63));
  }
});

test('one policy that accepts is enough, and opens its own namespace alone', () => {
  const given = [
    policyOf({ names: ['a'] }, 'one'),
    policyOf({ names: ['b'] }, 'one'),
    policyOf({ names: ['b'] }, 'two'),
    policyOf({}, 'three'),
  ];
  assert.equal([...claimableNamespaces(given, { name: 'a' })], ['one']);
  assert.equal([...claimableNamespaces(given, { name: 'b' })], ['one', 'two']);
  assert.equal([...claimableNamespaces([], { name: 'a' })], []);
});

const expressed = (key: string, operator: string, values?: readonly string[] | null): HostSelector => ({
  matchExpressions: [{ key, operator, values }],
});

const selectors: readonly (readonly [HostSelector | undefined | null, boolean])[] = [
  [undefined, true],
  [null, true],
  [{}, true],
  [{ matchLabels: null, matchExpressions: null }, true],
  [{ matchLabels: {}, matchExpressions: [] }, true],
  [{ matchLabels: { team: 'a' } }, true],
  [{ matchLabels: { team: 'a', empty: '' } }, true],
  [{ matchLabels: { team: 'b' } }, false],
  [{ matchLabels: { absent: '' } }, false],
  [{ matchLabels: { constructor: 'x' } }, false],
  [expressed('team', '=', ['a']), true],
  [expressed('team', '=', ['b']), false],
  [expressed('team', '=', ['a', 'b']), false],
  [expressed('team', '=', []), false],
  [expressed('team', '==', ['a']), true],
  [expressed('team', '==', ['b']), false],
  [expressed('team', '!=', ['a']), false],
  [expressed('team', '!=', ['b']), true],
  [expressed('absent', '!=', ['b']), true],
  [expressed('absent', '!=', ['a', 'b']), false],
  [expressed('team', 'in', ['b', 'a']), true],
  [expressed('team', 'in', ['b']), false],
  [expressed('team', 'in', []), false],
  [expressed('absent', 'in', ['a']), false],
  [expressed('team', 'In', ['a']), true],
  [expressed('team', 'notin', ['b']), true],
  [expressed('team', 'notin', ['a']), false],
  [expressed('absent', 'NotIn', ['a']), true],
  [expressed('team', 'notin', null), false],
  [expressed('team', 'exists', []), true],
  [expressed('empty', 'Exists'), true],
  [expressed('absent', 'exists', []), false],
  [expressed('team', 'exists', ['a']), false],
  [expressed('absent', '!', []), true],
  [expressed('team', '!', []), false],
  [expressed('absent', '!', ['a']), false],
  [expressed('constructor', 'exists', []), false],
  [expressed('absent', 'DoesNotExist', []), false],
  [expressed('team', 'gt', ['0']), false],
  [expressed('team', '', ['a']), false],
  [{ ...expressed('team', 'exists'), matchLabels: { team: 'b' } }, false],
  [
    {
      matchExpressions: [
        { key: 'team', operator: 'exists' },
        { key: 'absent', operator: 'exists' },
      ],
    },
    false,
  ],
];

for (const [selector, isChosen] of selectors) {
  test(`${JSON.stringify(selector)} ${isChosen ? 'selects' : 'does not select'}`, () => {
    assert.is(isSelected(labels, selector), isChosen);
  });
}

test('who has no labels is selected by what asks for none', () => {
  for (const none of [undefined, null, {}]) {
    assert.ok(isSelected(none, {}));
    assert.ok(isSelected(none, expressed('team', '!')));
    assert.not(isSelected(none, { matchLabels: { team: 'a' } }));
  }
});

test.run();
