// ServerGroup: says of the servers in it whether they share hosts. Nova changes none.
import { integer, object, required, string } from '../../api/contract/contract.ts';
import { compared, isJsonObject, named, observed, observedAs, sent, sentAs } from '../base/fields.ts';
import { plain } from '../base/projection.ts';
import { NOVA } from '../base/services.ts';
import { openstackName, text } from '../base/values.ts';
import { defineKind } from './kind.ts';

const rules = object('rules of the policy.', {
  maxServerPerHost: integer('maxServerPerHost is how many servers of the group may share a host.'),
});

export const serverGroup = defineKind({
  kind: 'ServerGroup',
  description: 'ServerGroup says whether servers of Nova share hosts.',
  service: NOVA,
  collection: 'os-server-groups',
  member: 'server_group',
  members: 'server_groups',
  immutable: true,
  resource: {
    name: named(openstackName('name is what Nova calls the group; the name of the object unless stated.'), {
      update: 'ignored',
    }),
    policy: sent(
      'policy',
      required(
        string('policy says whether the servers share hosts, and whether they must.', {
          enum: ['affinity', 'anti-affinity', 'soft-affinity', 'soft-anti-affinity'],
        }),
      ),
      { update: 'ignored' },
    ),
    rules: sentAs(
      rules,
      { rules: ({ maxServerPerHost: most }) => (most === undefined ? undefined : { max_server_per_host: most }) },
      { update: 'ignored' },
    ),
  },
  rules: [
    {
      message: 'maxServerPerHost can only be used with the anti-affinity policy',
      rule: "has(self.rules) && self.rules.maxServerPerHost > 0 ? self.policy == 'anti-affinity' : true",
    },
  ],
  filter: { name: compared('name', openstackName('name of the group.')) },
  status: {
    name: observed('name', text('name in Nova.')),
    policy: observed('policy', text('policy of the group.')),
    projectID: observed('project_id', text('projectID is the id of the owning project.')),
    userID: observed('user_id', text('userID is the id of the user who made it.')),
    rules: observedAs(
      { rules: plain('max_server_per_host') },
      object('rules of the policy.', {
        maxServerPerHost: integer('maxServerPerHost is how many servers of the group may share a host.'),
      }),
      ({ rules: reported }) => {
        const most = isJsonObject(reported) ? Number(reported['max_server_per_host']) : 0;
        return Number.isSafeInteger(most) && most > 0 ? { maxServerPerHost: most } : undefined;
      },
    ),
  },
  adoption: { query: [], check: ['name', 'policy'] },
});
