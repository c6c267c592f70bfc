// Every kind of this adapter. A new kind is a line here and a file beside this one.

import type { OpenStackKind } from '../resource/table.ts';
import { addressScope } from './address-scope.ts';
import { applicationCredential } from './application-credential.ts';
import { domain } from './domain.ts';
import { endpoint } from './endpoint.ts';
import { flavor } from './flavor.ts';
import { floatingIP } from './floating-ip.ts';
import { group } from './group.ts';
import { image } from './image.ts';
import { keyPair } from './key-pair.ts';
import { network } from './network.ts';
import { port } from './port.ts';
import { project } from './project.ts';
import { role } from './role.ts';
import { roleAssignment } from './role-assignment.ts';
import { router } from './router.ts';
import { routerInterface } from './router-interface.ts';
import { securityGroup } from './security-group.ts';
import { server } from './server.ts';
import { serverGroup } from './server-group.ts';
import { service } from './service.ts';
import { shareNetwork } from './share-network.ts';
import { subnet } from './subnet.ts';
import { trunk } from './trunk.ts';
import { user } from './user.ts';
import { volume } from './volume.ts';
import { volumeType } from './volume-type.ts';

export const BY_NAME = {
  addressScope,
  applicationCredential,
  domain,
  endpoint,
  flavor,
  floatingIP,
  group,
  image,
  keyPair,
  network,
  port,
  project,
  role,
  roleAssignment,
  router,
  routerInterface,
  securityGroup,
  server,
  serverGroup,
  service,
  shareNetwork,
  subnet,
  trunk,
  user,
  volume,
  volumeType,
};

export const KINDS: readonly OpenStackKind[] = Object.values(BY_NAME);
