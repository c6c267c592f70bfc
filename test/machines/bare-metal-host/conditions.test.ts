// The conditions of a host, by the rows of their table.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { areUpToDate, conditions, type NodeCondition } from '../../../machines/bare-metal-host/conditions.ts';
import { AT, BARE, EARLIER, host, NOW, type Parts, STATES } from './hosts.ts';

const test = suite('conditions of a host');
const TYPES = ['Manageable', 'AvailableForProvisioning', 'Provisioned', 'Ready', 'Progressing', 'Healthy'];

/** `<status> <reason>` by type. */
function reported(parts: Parts, node?: NodeCondition): Readonly<Record<string, string>> {
  const made = conditions(host(parts), { node, at: AT });
  assert.equal(
    made.map(({ type }) => type),
    TYPES,
  );
  return Object.fromEntries(made.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

const MANAGED = ['True Manageable', 'False NotAvailable', 'False NotProvisioned', 'False NotProvisioned'];
const PROVISIONED = [
  'True Manageable',
  'False NotAvailable',
  'True Provisioned',
  'True Provisioned',
  'False NotProgressing',
];
const NOT_MANAGED = ['False NotManaged', ...MANAGED.slice(1), 'False NotProgressing'];
const FREE = [
  'True Manageable',
  'True Available',
  'False NotProvisioned',
  'False NotProvisioned',
  'False NotProgressing',
];
const EXPECTED: Readonly<Record<(typeof STATES)[number], readonly string[]>> = {
  '': NOT_MANAGED,
  unmanaged: NOT_MANAGED,
  registering: ['False Registering', ...MANAGED.slice(1), 'True Registering'],
  inspecting: [...MANAGED, 'True Inspecting'],
  'match profile': [...MANAGED, 'True Inspecting'],
  preparing: [...MANAGED, 'True Preparing'],
  available: FREE,
  ready: FREE,
  provisioning: [...MANAGED, 'True Provisioning'],
  provisioned: PROVISIONED,
  'externally provisioned': PROVISIONED,
  deprovisioning: [...MANAGED, 'True Deprovisioning'],
  'powering off before delete': [...MANAGED, 'True PoweringOffBeforeDelete'],
  deleting: [...MANAGED, 'True Deleting'],
};

test('each state has its row', () => {
  for (const state of STATES) {
    const made = reported({ state });
    assert.equal(
      TYPES.slice(0, 5).map((type) => made[type]),
      EXPECTED[state],
      state,
    );
  }
});

test('a state that nobody knows is not managed', () => {
  for (const state of ['what is this', '__proto__', 'constructor']) {
    assert.equal(
      TYPES.slice(0, 5).map((type) => reported({ state })[type]),
      NOT_MANAGED,
    );
  }
});

test('a host with an error, in service or detached is not ready', () => {
  for (const state of STATES) {
    const error = reported({ state, status: { operationalStatus: 'error' } });
    assert.is(error['Ready'], 'False Error');
    assert.is(error['Progressing'], EXPECTED[state][4]);
    assert.is(reported({ state, status: { operationalStatus: 'servicing' } })['Ready'], 'False Servicing');
    const detached = reported({ state, status: { operationalStatus: 'detached' } });
    assert.is(detached['Ready'], 'False Detached');
    assert.is(detached['Progressing'], 'False Detached');
  }
  const failed = reported({ state: 'registering', status: { operationalStatus: 'error' } });
  assert.is(failed['Manageable'], 'False RegistrationFailed');
});

test('what went wrong is told with it', () => {
  const status = { operationalStatus: 'error', errorMessage: 'the BMC does not answer' };
  const messages = (parts: Parts, problem?: string) =>
    Object.fromEntries(
      conditions(host(parts), { at: AT, problem })
        .filter(({ message }) => message !== '')
        .map(({ type, message }) => [type, message]),
    );
  assert.equal(messages({ state: 'registering', status }), {
    Manageable: status.errorMessage,
    Ready: status.errorMessage,
  });
  assert.equal(messages({ state: 'provisioned' }), {});
  assert.equal(messages({ state: 'inspecting' }, 'Ironic answered 500'), { Progressing: 'Ironic answered 500' });
  const long = conditions(host({ status: { ...status, errorMessage: 'x'.repeat(40_000) } }), { at: AT });
  assert.is(Math.max(...long.map(({ message }) => message.length)), 32_768);
});

test('a power failure makes a host unmanageable, where it is looked at', () => {
  const node = { fault: 'power failure' };
  const ignored = new Set(['', 'unmanaged', 'registering', 'deleting']);
  for (const state of STATES) {
    assert.is(
      reported({ state }, node)['Manageable'],
      ignored.has(state) ? EXPECTED[state][0] : 'False PowerFailure',
      state,
    );
    const detached = reported({ state, status: { operationalStatus: 'detached' } }, node);
    assert.is(detached['Manageable'], EXPECTED[state][0]);
  }
  assert.is(reported({ state: 'available' }, { fault: 'clean failure' })['Manageable'], 'True Manageable');
});

test('the health is what the node says', () => {
  const health = (value: string | null | undefined, stored?: string) =>
    conditions(
      host({
        state: 'provisioned',
        ...(stored && {
          status: {
            conditions: [
              { type: 'Healthy', status: 'False', reason: stored, message: '', lastTransitionTime: EARLIER } as const,
            ],
          },
        }),
      }),
      { node: { health: value }, at: AT },
    ).find(({ type }) => type === 'Healthy');
  const brief = (condition: ReturnType<typeof health>) => `${condition?.status} ${condition?.reason}`;
  assert.is(brief(health('OK')), 'True Healthy');
  assert.is(brief(health('Warning')), 'False Warning');
  assert.is(brief(health('Critical')), 'False CriticalError');
  assert.is(brief(health('so so')), 'Unknown Unknown');
  assert.is(brief(health('constructor')), 'Unknown Unknown');
  assert.is(brief(health('')), 'Unknown Unknown');
  assert.is(brief(health('', 'Warning')), 'False Warning');
  assert.is(brief(health(null, 'Warning')), 'False Warning');
  assert.is(brief(health('OK', 'Warning')), 'True Healthy');
});

test('the time of a condition is that of its last change of status', () => {
  const before = conditions(host({ state: 'inspecting' }), { at: AT - 60_000 });
  const after = conditions(host({ state: 'available', status: { conditions: before } }), { at: AT });
  const changed = after.filter(({ lastTransitionTime }) => lastTransitionTime === NOW).map(({ type }) => type);
  assert.equal(changed, ['AvailableForProvisioning', 'Progressing']);
  const same = conditions(host({ state: 'inspecting', status: { conditions: before } }), { at: AT });
  assert.equal(same, before);
  assert.is(before[0]?.observedGeneration, 3);
});

test('what others have added stays', () => {
  const foreign = {
    type: 'Inventoried',
    status: 'True',
    reason: 'Yes',
    message: '',
    lastTransitionTime: EARLIER,
  } as const;
  const made = conditions(host({ status: { conditions: [foreign] } }), { at: AT });
  assert.equal(made[0], foreign);
  assert.is(made.length, 7);
});

test('nothing is certain to be there', () => {
  for (const bare of BARE) assert.is(conditions(bare, { at: AT }).length, 6);
});

test('what others add to the conditions says nothing of the generation that was looked at', () => {
  const made = conditions(host(), { at: AT });
  const theirs = { ...(made[0] as (typeof made)[number]), type: 'Theirs', observedGeneration: 1 };
  const reported = (...all: typeof made) => ({ ...host(), status: { conditions: all } });
  assert.ok(areUpToDate(reported(...made, theirs)));
  assert.not.ok(areUpToDate({ ...reported(...made), metadata: { generation: 4 } }));
  for (const bare of BARE) assert.ok(areUpToDate(bare));
});

test.run();
