// `troupe migrate metal3` as a process of its own, for tests that kill it: KUBECONFIG, and how many objects a second.

import { systemClock } from '../../../actors/base/clock.ts';
import { migrate } from '../../../actors/cli/migrate/migrate.ts';
import { stopSignal } from '../../../actors/process/process.ts';
import { metal3Companions } from '../../../adapters/ironic/migration.ts';

process.exitCode = await migrate({
  config: { kubeconfig: process.env['KUBECONFIG'], inCluster: undefined },
  adapters: [{ realm: 'metal3', contracts: [{ group: 'metal3.io' }], companions: [metal3Companions] }],
  clock: systemClock(),
  names: ['metal3'],
  namespaces: undefined,
  perSecond: Number(process.argv[2]),
  isDry: process.argv.includes('--dry-run'),
  signal: stopSignal(),
  out: process.stdout,
  notes: process.stderr,
  isTerminal: false,
});
