// The rules of bare-metal hosts switched off one by one: what histories of hosts are there to notice.
import type { Mutation } from './mutations.ts';

export const HOST_MUTATIONS: readonly Mutation[] = [
  {
    name: 'H1',
    without: 'a paused host is worked for',
    matter: 'hosts',
    mutants: ['host-ignores-pause'],
  },
  {
    name: 'H7',
    without: 'a host is not registered anew when Ironic has lost its node',
    matter: 'hosts',
    mutants: ['host-keeps-node'],
  },
  {
    name: 'H7-secret',
    without: 'a host is not registered anew when its credentials change',
    matter: 'hosts',
    mutants: ['host-ignores-credentials'],
  },
  {
    name: 'H9',
    without: 'a node goes while others hold its host',
    matter: 'hosts',
    mutants: ['host-leaves-holders'],
  },
  {
    name: 'H9-node',
    without: 'a host goes before its node',
    matter: 'hosts',
    mutants: ['host-leaves-node'],
  },
  {
    name: 'H10',
    without: 'an edit of which nothing comes is not told of',
    matter: 'hosts',
    mutants: ['host-silent-edit'],
  },
  {
    name: 'host-claim',
    without: 'a node is made before the finalizer of its host is stored',
    matter: 'hosts',
    mutants: ['host-unclaimed-node'],
  },
  {
    name: 'host-wish',
    without: 'what a host has is taken off though it is wanted',
    matter: 'hosts',
    mutants: ['host-takes-wanted-off'],
  },
  {
    name: 'V3',
    without: 'what was deployed while something else came to be wanted stays',
    matter: 'hosts',
    mutants: ['host-keeps-other-image'],
  },
  {
    name: 'host-adoption',
    without: 'Ironic is not told what runs on a machine of which it has lost the node',
    matter: 'hosts',
    mutants: ['host-never-adopts'],
  },
  {
    name: 'host-name',
    without: 'a node of which only the name is known is not looked for',
    matter: 'hosts',
    mutants: ['host-unknown-name'],
  },
  {
    name: 'host-tenant',
    without: "a status is believed, and a node used, that is another host's",
    matter: 'hosts',
    mutants: ['host-believes-status', 'host-takes-foreign-node', 'host-takes-named-node'],
  },
  {
    name: 'host-secret',
    without: 'a password is told with the credentials that were used',
    matter: 'hosts',
    mutants: ['host-tells-password'],
  },
  {
    name: 'host-status',
    without: 'a status is written that is stored already',
    matter: 'hosts',
    mutants: ['host-status-again'],
  },
  {
    name: 'host-marks',
    without: 'what a host uses is marked anew in each life',
    matter: 'hosts',
    mutants: ['host-marks-anew'],
  },
];
