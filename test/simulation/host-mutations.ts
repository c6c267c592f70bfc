// The rules of bare-metal hosts switched off one by one: what histories of hosts are there to notice.
import type { Mutation } from './mutations.ts';

const HOST = 'machines/bare-metal-host';
const NODES = 'adapters/ironic/nodes';

export const HOST_MUTATIONS: readonly Mutation[] = [
  {
    name: 'H1',
    without: 'a paused host is worked for',
    matter: 'hosts',
    edits: [
      {
        file: `${HOST}/host.ts`,
        from: 'return annotationOf(host, HostAnnotation.Paused) !== undefined;',
        to: "return annotationOf(host, HostAnnotation.Paused) === 'never';",
      },
    ],
  },
  {
    name: 'H7',
    without: 'a host is not registered anew when Ironic has lost its node',
    matter: 'hosts',
    edits: [
      {
        file: `${HOST}/setup.ts`,
        from: 'forgetJoined: assign({ joined: undefined, isAdopted: false }),',
        to: 'forgetJoined: assign({ isAdopted: false }),',
      },
      { file: `${HOST}/setup.ts`, from: '      ...(node === undefined && { joined: undefined }),\n', to: '' },
    ],
  },
  {
    name: 'H7-secret',
    without: 'a host is not registered anew when its credentials change',
    matter: 'hosts',
    edits: [
      {
        file: `${HOST}/context.ts`,
        from: 'JSON.stringify([object.host.metadata?.generation, others, state, isServicing])',
        to: 'JSON.stringify([object.host.metadata?.generation, others.length, state, isServicing])',
      },
    ],
  },
  {
    name: 'H9',
    without: 'a node goes while others hold its host',
    matter: 'hosts',
    edits: [{ file: `${HOST}/leaving.ts`, from: "        { guard: 'isHeld', target: 'held' },\n", to: '' }],
  },
  {
    name: 'H9-node',
    without: 'a host goes before its node',
    matter: 'hosts',
    edits: [
      {
        file: `${HOST}/leaving.ts`,
        from: "{ guard: 'isSaved', target: 'removing' },",
        to: "{ guard: 'isSaved', target: 'unclaiming' },",
      },
    ],
  },
  {
    name: 'H10',
    without: 'an edit of which nothing comes is not told of',
    matter: 'hosts',
    edits: [
      {
        file: `${HOST}/setup.ts`,
        from: 'areUpToDate(context.object.host) ? {} : { revision: context.revision + 1 },',
        to: 'areUpToDate(context.object.host) ? {} : {},',
      },
    ],
  },
  {
    name: 'host-claim',
    without: 'a node is made before the finalizer of its host is stored',
    matter: 'hosts',
    edits: [{ file: `${HOST}/arriving.ts`, from: "{ target: 'guarding' },", to: "{ target: '#routing' }," }],
  },
  {
    name: 'host-wish',
    without: 'what a host has is taken off though it is wanted',
    matter: 'hosts',
    edits: [
      {
        file: `${HOST}/needs-provisioning.ts`,
        from: "return deployed.url !== '' && deployed.url !== wanted.url;",
        to: "return deployed.url !== '';",
      },
    ],
  },
  {
    name: 'V3',
    without: 'what was deployed while something else came to be wanted stays',
    matter: 'hosts',
    edits: [
      {
        file: `${NODES}/provisioning.ts`,
        from: 'if (isOtherImage === true)',
        to: 'if (isOtherImage === true && isSameImage)',
      },
    ],
  },
  {
    name: 'host-adoption',
    without: 'Ironic is not told what runs on a machine of which it has lost the node',
    matter: 'hosts',
    edits: [
      {
        file: `${NODES}/adoption.ts`,
        from: 'return changeProvisionState(node, { target: Target.Adopt });\n    case ProvisionState.Adopting:',
        to: "return { step: 'done' };\n    case ProvisionState.Adopting:",
      },
    ],
  },
  {
    name: 'host-name',
    without: 'a node of which only the name is known is not looked for',
    matter: 'hosts',
    edits: [
      {
        file: `${NODES}/lookup.ts`,
        from: "lookUpIn([...recorded(host), [nodeNameOf(host), 'byName'], ...bareName], facts)",
        to: 'lookUpIn(recorded(host), facts)',
      },
    ],
  },
  {
    name: 'host-secret',
    without: 'a password is told with the credentials that were used',
    matter: 'hosts',
    edits: [
      {
        file: 'adapters/ironic/hosts/credentials.ts',
        from: 'credentialsVersion: secret.resourceVersion,',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of a source
        to: 'credentialsVersion: `${secret.resourceVersion} ${password}`,',
      },
    ],
  },
  {
    name: 'host-status',
    without: 'a status is written that is stored already',
    matter: 'hosts',
    edits: [
      {
        file: 'adapters/ironic/kinds/host-effects.ts',
        from: 'if (!isEqual(withoutNulls(stored), withoutNulls(wanted))) {',
        to: 'if (!isEqual(withoutNulls(stored), undefined)) {',
      },
    ],
  },
  {
    name: 'host-marks',
    without: 'what a host uses is marked anew in each life',
    matter: 'hosts',
    edits: [
      {
        file: 'adapters/ironic/kinds/host-relations.ts',
        from: 'owners.includes(object.metadata.uid) ? [] :',
        to: 'owners.length < 0 ? [] :',
      },
    ],
  },
];
