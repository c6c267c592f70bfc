// RoleAssignment: that a user or a group has a role on a project or a domain of Keystone. It is nothing beside these.
import { ref, required } from '../../api/contract/contract.ts';
import { observed, queried, sent } from '../base/fields.ts';
import { KEYSTONE } from '../base/services.ts';
import { text } from '../base/values.ts';
import { defineKind } from './kind.ts';

const guarded = { guarded: true };
const fixed = { update: 'ignored' } as const;

export const roleAssignment = defineKind({
  kind: 'RoleAssignment',
  description: 'RoleAssignment gives a Role to a User or a Group, on a Project or a Domain.',
  service: KEYSTONE,
  collection: 'role_assignments',
  member: 'role_assignment',
  identity: {
    parts: [['role.id'], ['user.id', 'group.id'], ['scope.project.id', 'scope.domain.id']],
    // Assignments inherited by the projects below are managed by other requests.
    except: 'scope.OS-INHERIT:inherited_to',
    path(part) {
      const [project, domain] = [part('scope.project.id'), part('scope.domain.id')];
      const [user, group] = [part('user.id'), part('group.id')];
      const scope = project === undefined ? `/domains/${domain}` : `/projects/${project}`;
      const actor = user === undefined ? `/groups/${group}` : `/users/${user}`;
      return `${scope}${actor}/roles/${part('role.id')}`;
    },
  },
  immutable: true,
  shares: true,
  words: {
    creating: 'creating role assignment',
    unfound: 'role assignment succeeded but could not be found in OpenStack',
    lost: 'role assignment has been deleted from OpenStack',
  },
  resource: {
    roleRef: sent(
      'role.id',
      required(ref('Role', 'roleRef is the Role that is given.', { ...guarded, shownBy: 'roleID' })),
      fixed,
    ),
    userRef: sent('user.id', ref('User', 'userRef is the User that has it.', { ...guarded, shownBy: 'userID' }), fixed),
    groupRef: sent(
      'group.id',
      ref('Group', 'groupRef is the Group whose users have it.', { ...guarded, shownBy: 'groupID' }),
      fixed,
    ),
    projectRef: sent(
      'scope.project.id',
      ref('Project', 'projectRef is the Project on which it counts.', { ...guarded, shownBy: 'projectID' }),
      fixed,
    ),
    domainRef: sent(
      'scope.domain.id',
      ref('Domain', 'domainRef is the Domain on which it counts.', { ...guarded, shownBy: 'domainID' }),
      fixed,
    ),
  },
  rules: [
    {
      message: 'exactly one of userRef or groupRef is required',
      rule: '(has(self.userRef) && !has(self.groupRef)) || (!has(self.userRef) && has(self.groupRef))',
    },
    {
      message: 'exactly one of projectRef or domainRef is required',
      rule: '(has(self.projectRef) && !has(self.domainRef)) || (!has(self.projectRef) && has(self.domainRef))',
    },
  ],
  filter: {
    roleRef: queried('role.id', ref('Role', 'roleRef is the Role that is given.')),
    userRef: queried('user.id', ref('User', 'userRef is the User that has it.')),
    groupRef: queried('group.id', ref('Group', 'groupRef is the Group whose users have it.')),
    projectRef: queried('scope.project.id', ref('Project', 'projectRef is the Project on which it counts.')),
    domainRef: queried('scope.domain.id', ref('Domain', 'domainRef is the Domain on which it counts.')),
  },
  status: {
    roleID: observed('role.id', text('roleID is the id of the role.'), { omitEmpty: true }),
    userID: observed('user.id', text('userID is the id of the user.'), { omitEmpty: true }),
    groupID: observed('group.id', text('groupID is the id of the group.'), { omitEmpty: true }),
    projectID: observed('scope.project.id', text('projectID is the id of the project.'), { omitEmpty: true }),
    domainID: observed('scope.domain.id', text('domainID is the id of the domain.'), { omitEmpty: true }),
  },
  adoption: { query: ['roleRef', 'userRef', 'groupRef', 'projectRef', 'domainRef'] },
});
