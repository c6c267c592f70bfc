// All mutants that a test must notice. Each matters: an invariant, or a comment, says what its code keeps.
import type { Change } from './change.ts';
import { ACTORS } from './changes/actors.ts';
import { BUS } from './changes/bus.ts';
import { COMMAND_LINE } from './changes/command-line.ts';
import { IRONIC_CLIENT } from './changes/ironic-client.ts';
import { IRONIC_HOSTS } from './changes/ironic-hosts.ts';
import { KUBERNETES } from './changes/kubernetes.ts';
import { MACHINES } from './changes/machines.ts';
import { OCM } from './changes/ocm.ts';
import { OPENSTACK } from './changes/openstack.ts';
import { WINDOWS } from './changes/windows.ts';

export const CHANGES: readonly Change[] = [
  ...MACHINES,
  ...ACTORS,
  ...BUS,
  ...OPENSTACK,
  ...IRONIC_CLIENT,
  ...IRONIC_HOSTS,
  ...KUBERNETES,
  ...OCM,
  ...COMMAND_LINE,
  ...WINDOWS,
];
