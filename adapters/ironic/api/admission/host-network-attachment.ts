// Rules of a HostNetworkAttachment: its VLANs, and that it is not deleted while a host uses it.
import { type JsonMap, listOf, mapOf, textOf } from '../../json-values.ts';
import type { KindRules, Others } from './rules.ts';

const VLANS = /^(\d+)(?:-(\d+))?$/;
/** IEEE 802.1Q: the ids that are free to use. */
const LEAST_VLAN = 1;
const GREATEST_VLAN = 4094;

/** Hosts that a message names. */
const MOST_NAMED = 5;

export const networkAttachmentRules: KindRules = {
  problems: ({ spec }) => {
    const vlans = listOf(mapOf(spec)['allowedVLANs']);
    const isAccess = (textOf(mapOf(spec)['mode']) || 'access') === 'access';
    return [
      ...(isAccess && vlans.length > 0 ? ['spec.allowedVLANs can not be set when spec.mode is access'] : []),
      ...vlans.flatMap((entry, index) => {
        const problem = vlanProblem(textOf(entry));
        return problem === undefined ? [] : [`spec.allowedVLANs[${index}]: "${textOf(entry)}" ${problem}`];
      }),
    ];
  },
  changes: (_, oldObject, others) => useProblems(oldObject, others, 'its spec can not be changed'),
  deletion: (oldObject, others) => useProblems(oldObject, others, 'it can not be deleted'),
};

function vlanProblem(entry: string): string | undefined {
  const [, first, last] = VLANS.exec(entry) ?? [];
  if (first === undefined) return 'is neither a VLAN nor a range of them';
  const ids = [first, last ?? first].map(Number) as [number, number];
  if (ids.some((id) => id < LEAST_VLAN || id > GREATEST_VLAN)) {
    return `is not between ${LEAST_VLAN} and ${GREATEST_VLAN}`;
  }
  return last !== undefined && ids[0] >= ids[1] ? 'does not begin below its end' : undefined;
}

function useProblems(attachment: JsonMap, hosts: Others, consequence: string): readonly string[] {
  if (hosts === undefined) return [`it could not be found out which BareMetalHosts refer to it: ${consequence}`];
  const users = hosts
    .map(mapOf)
    .filter((host) => refersTo(host, attachment))
    .map(nameOf);
  if (users.length === 0) return [];
  const named = users.slice(0, MOST_NAMED).join(', ');
  const more = users.length > MOST_NAMED ? ` and ${users.length - MOST_NAMED} more` : '';
  return [`it is referred to by BareMetalHost ${named}${more}: ${consequence}`];
}

function refersTo({ metadata, spec }: JsonMap, attachment: JsonMap): boolean {
  const { name, namespace } = mapOf(attachment['metadata']);
  return listOf(mapOf(spec)['networkInterfaces']).some((each) => {
    const reference = mapOf(mapOf(each)['hostNetworkAttachment']);
    const itsNamespace = textOf(reference['namespace']) || mapOf(metadata)['namespace'];
    return reference['name'] === name && itsNamespace === namespace;
  });
}

function nameOf({ metadata }: JsonMap): string {
  const { name, namespace } = mapOf(metadata);
  return `${textOf(namespace)}/${textOf(name)}`;
}
