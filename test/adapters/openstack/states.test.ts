// What each status of the cloud means: all that the API references of Nova, Cinder, Glance, Neutron and Manila name.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as states from '../../../adapters/openstack/base/states.ts';
import { floatingIP } from '../../../adapters/openstack/kinds/floating-ip.ts';
import { image } from '../../../adapters/openstack/kinds/image.ts';
import { network } from '../../../adapters/openstack/kinds/network.ts';
import { port } from '../../../adapters/openstack/kinds/port.ts';
import { router } from '../../../adapters/openstack/kinds/router.ts';
import { server } from '../../../adapters/openstack/kinds/server.ts';
import { shareNetwork } from '../../../adapters/openstack/kinds/share-network.ts';
import { trunk } from '../../../adapters/openstack/kinds/trunk.ts';
import { volume } from '../../../adapters/openstack/kinds/volume.ts';
import type { TableKind } from '../../../adapters/openstack/resource/table.ts';

const test = suite('states of resources');

type Expected = Readonly<Record<states.Decision, string>>;

/** By decision, as the references list them; what Neutron and Cinder have beside those lists is from their constants. */
const DECISIONS: readonly (readonly [string, TableKind | undefined, states.States, Expected])[] = [
  [
    'Server',
    server,
    states.SERVER_STATES,
    {
      usable: 'ACTIVE',
      busy:
        'BUILD HARD_REBOOT MIGRATING PASSWORD PAUSED REBOOT REBUILD RESCUE RESIZE REVERT_RESIZE SHELVED ' +
        'SHELVED_OFFLOADED SHUTOFF SUSPENDED UNKNOWN VERIFY_RESIZE',
      broken: 'ERROR',
      gone: 'DELETED SOFT_DELETED',
    },
  ],
  [
    'Volume',
    volume,
    states.VOLUME_STATES,
    {
      usable: 'available in-use',
      busy:
        'attaching awaiting-transfer backing-up creating detaching downloading extending maintenance managing reserved ' +
        'restoring-backup retyping uploading',
      broken: 'error error_backing-up error_deleting error_extending error_managing error_restoring',
      gone: 'deleting error_managing_deleting unmanaging',
    },
  ],
  [
    'Image',
    image,
    states.IMAGE_STATES,
    {
      usable: 'active',
      busy: 'deactivated importing queued saving uploading',
      broken: 'killed',
      gone: 'deleted pending_delete',
    },
  ],
  ['Network', network, states.NETWORK_STATES, { usable: 'ACTIVE', busy: 'BUILD', broken: 'DOWN ERROR', gone: '' }],
  [
    'Router',
    router,
    states.ROUTER_STATES,
    { usable: 'ACTIVE', busy: 'ALLOCATING BUILD', broken: 'DOWN ERROR', gone: '' },
  ],
  ['Port', port, states.PORT_STATES, { usable: 'ACTIVE DOWN', busy: 'BUILD', broken: 'ERROR N/A', gone: '' }],
  [
    'RouterInterface',
    undefined,
    states.INTERFACE_STATES,
    { usable: 'ACTIVE', busy: 'BUILD DOWN ERROR N/A', broken: '', gone: '' },
  ],
  ['FloatingIP', floatingIP, states.FLOATING_IP_STATES, { usable: 'ACTIVE DOWN', busy: '', broken: 'ERROR', gone: '' }],
  // Available as soon as it is read.
  ['Trunk', trunk, states.TRUNK_STATES, { usable: 'ACTIVE BUILD DEGRADED DOWN ERROR', busy: '', broken: '', gone: '' }],
  [
    'ShareNetwork',
    shareNetwork,
    states.SHARE_NETWORK_STATES,
    { usable: 'active', busy: 'network_change', broken: 'error', gone: '' },
  ],
];

for (const [name, kind, table, expected] of DECISIONS) {
  test(`33.A8: each status of ${name} has a decision, and is never waited for without a look (OS-STATES-1)`, () => {
    for (const decision of Object.values(states.Decision)) {
      const named = Object.keys(table).filter((status) => table[status]?.decision === decision);
      assert.is(named.sort().join(' '), expected[decision], decision);
    }
    for (const [status, { decision, pollAfterMs }] of Object.entries(table)) {
      const isBusy = decision === states.Decision.Busy;
      assert.ok(!isBusy || pollAfterMs !== undefined, `${status} is looked at`);
      assert.is(kind?.available?.({ status }, undefined) ?? true, kind === undefined || decision === 'usable', status);
      assert.is(kind?.pollAfterMs?.({ status }, undefined), kind === undefined ? undefined : pollAfterMs, status);
    }
  });
}

test('33.A8: a status that nobody knows passes; where none is told the kind says what that means (OS-STATES-2)', () => {
  for (const [name, kind, table] of DECISIONS) {
    for (const status of ['toString', 'NEW_IN_2030', 7, null]) {
      if (name === 'Trunk' || (name === 'ShareNetwork' && status === null)) continue;
      const { decision, pollAfterMs } = states.stateOf(table, status);
      assert.equal([decision, pollAfterMs], ['busy', 15_000], `${name} ${status}`);
      assert.is(kind?.available?.({ status }, undefined) ?? false, false, `${name} ${status}`);
    }
  }
  assert.ok(shareNetwork.available?.({}, undefined));
  assert.ok(trunk.available?.({ status: 'NEW_IN_2030' }, undefined) ?? true);
});

test.run();
