// Every kind of this adapter. A new kind is a line here and a file beside this one.
import { domain } from './domain.ts';
import { floatingIP } from './floating-ip.ts';
import { network } from './network.ts';
import { port } from './port.ts';
import { project } from './project.ts';
import { router } from './router.ts';
import { routerInterface } from './router-interface.ts';
import { securityGroup } from './security-group.ts';
import { subnet } from './subnet.ts';
import type { OpenStackKind } from './table.ts';
import { trunk } from './trunk.ts';

export const KINDS: readonly OpenStackKind[] = Object.values({
  domain,
  floatingIP,
  network,
  port,
  project,
  router,
  routerInterface,
  securityGroup,
  subnet,
  trunk,
});
