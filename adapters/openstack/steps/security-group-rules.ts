// The rules of a security group: a set that the spec states as a whole, each a resource of its own in Neutron.
//
// Invariants:
//   OS-SECURITY-GROUP-RULES-1. An existing specified rule is never touched; a different one is always replaced, since
//       rules are immutable.
//   OS-SECURITY-GROUP-RULES-2. New rules are always created before old ones are removed: traffic that is allowed before
//       and after is allowed meanwhile. Only a rule that Neutron considers equal to a new one (apart from its
//       description) is removed first, since it would conflict.
//   OS-SECURITY-GROUP-RULES-3. 0 is a type or a code of ICMP, and no port: a rule for port 0 is refused. 0 never means that no range is stated, which
//       would let all ports through.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { TerminalError, TransientError } from '../../../bus/errors.ts';
import { isJsonObject } from '../base/fields.ts';
import { type Projection, plain } from '../base/projection.ts';
import { NEUTRON } from '../base/services.ts';
import { canonicalAddress } from '../base/values.ts';
import { refused, transient } from '../client/call-errors.ts';
import type { Call } from '../client/session.ts';
import type { UpdateStep } from '../resource/table.ts';

/** A rule of `spec.resource.rules`, as the API server has checked it. */
interface SpecRule {
  readonly description?: string;
  readonly direction?: string;
  readonly ethertype: string;
  readonly portRange?: { readonly min: number; readonly max: number };
  readonly protocol?: string;
  readonly remoteIPPrefix?: string;
}

/** Attributes of a group that the comparison of rules reads. */
export const RULES_READ = {
  security_group_rules: plain(
    'id',
    'description',
    'direction',
    'ethertype',
    'port_range_max',
    'port_range_min',
    'protocol',
    'remote_address_group_id',
    'remote_group_id',
    'remote_ip_prefix',
  ),
} satisfies Projection;

/** Rule in Neutron's form. */
type ObservedRule = Readonly<Partial<Record<keyof (typeof RULES_READ)['security_group_rules'], Json>>>;

const ICMP = 1;
const ICMPV6 = 58;
/** Numbers of the protocols that a spec can name (IANA): Neutron takes a name and its number for the same. */
const PROTOCOLS: ReadonlyMap<string, number> = new Map([
  ['icmp', ICMP],
  ['igmp', 2],
  ['ipip', 4],
  ['tcp', 6],
  ['egp', 8],
  ['udp', 17],
  ['dccp', 33],
  ['ipv6-encap', 41],
  ['ipv6-route', 43],
  ['ipv6-frag', 44],
  ['rsvp', 46],
  ['gre', 47],
  ['esp', 50],
  ['ah', 51],
  ['icmpv6', ICMPV6],
  ['ipv6-icmp', ICMPV6],
  ['ipv6-nonxt', 59],
  ['ipv6-opts', 60],
  ['ospf', 89],
  ['vrrp', 112],
  ['pgm', 113],
  ['sctp', 132],
  ['udplite', 136],
]);

/** Whether the rules that were read are those of `spec.resource`. */
export function isAsSpecified(resource: JsonObject, attributes: JsonObject): boolean {
  const { missing, surplus } = differenceOf(specifiedIn(resource), observedIn(attributes));
  return missing.length === 0 && surplus.length === 0;
}

/** Creates the missing rules in one request, and removes unspecified ones. */
export const rulesStep: UpdateStep = async ({ session, request }) => {
  const { object, dependencies, observation, deadlineAt, traceparent } = request;
  const resource = (object.spec?.['resource'] ?? {}) as JsonObject;
  const { missing, surplus } = differenceOf(specifiedIn(resource), observedIn(observation.attributes));
  if (missing.length === 0 && surplus.length === 0) return { changed: false };
  refusePortZero(specifiedIn(resource));
  const undirected = missing.findIndex(({ direction }) => direction === undefined);
  if (undirected >= 0) {
    throw new TerminalError(
      'invalid configuration creating resource: a rule has no direction: say `ingress` or `egress`',
    );
  }
  const call = (rest: Pick<Call, 'method' | 'path' | 'body'>): Promise<unknown> =>
    session.call({ service: NEUTRON.type, deadlineAt, traceparent, ...rest });
  const remove = (rules: readonly ObservedRule[]): Promise<unknown> =>
    Promise.all(
      rules.map(({ id }) =>
        call({ method: 'DELETE', path: `/security-group-rules/${encodeURIComponent(String(id))}` }).catch(
          (error: unknown) => {
            throw explained(error, `deleting security group rule ${id}`);
          },
        ),
      ),
    );
  const isInTheWay = (rule: ObservedRule): boolean => missing.some((wanted) => isSame(wanted, rule));
  if (missing.length > 0) {
    const reference = resource['projectRef'];
    const project = typeof reference === 'string' ? dependencies[`Project/${reference}`] : undefined;
    if (reference !== undefined && project?.ready !== true)
      return { changed: false, waiting: [`Waiting for Project/${reference} to be ready`] };
    const rules = missing.map((rule) => ({
      security_group_id: observation.id,
      ...(project === undefined ? {} : { project_id: project.id }),
      ...attributesOf(rule),
    }));
    // mutant: group-without-rules ().1 -> $0.1
    await remove(surplus.filter(isInTheWay));
    await call({ method: 'POST', path: '/security-group-rules', body: { security_group_rules: rules } }).catch(
      (error: unknown) => {
        const known = refused(error, 'creating resource');
        throw known instanceof TerminalError ? known : explained(error, 'creating security group rules');
      },
    );
  }
  await remove(surplus.filter((rule) => !isInTheWay(rule)));
  return { changed: true, fields: ['rules'] };
};

/** @throws {TerminalError} a rule has port 0, which Neutron refuses */
function refusePortZero(rules: readonly SpecRule[]): void {
  for (const [index, { portRange, protocol = '', ethertype }] of rules.entries()) {
    const bound = (['min', 'max'] as const).find((name) => portRange?.[name] === 0);
    // mutant: port-zero-sent || -> true
    if (bound === undefined || isIcmp(protocolOf(protocol, ethertype))) continue;
    throw new TerminalError(
      `invalid configuration creating resource: rules[${index}].portRange.${bound} is 0, which only ICMP has as a type or code: leave portRange out to let all through, or say ports from 1 to 65535`,
    );
  }
}

/** The rules that are specified and not there, and those that are there and not specified. */
function differenceOf(
  specified: readonly SpecRule[],
  observed: readonly ObservedRule[],
): { readonly missing: readonly SpecRule[]; readonly surplus: readonly ObservedRule[] } {
  const missing = specified
    .filter((rule) => !observed.some((other) => matches(rule, other)))
    .toSorted((one, other) => Number(one.description === undefined) - Number(other.description === undefined));
  return {
    // A repeated rule is created once, with the description if one of them has one.
    missing: missing.filter(
      (rule, index) => !missing.slice(0, index).some((other) => matches(rule, attributesOf(other))),
    ),
    surplus: observed.filter((other) => !specified.some((rule) => matches(rule, other))),
  };
}

/** Direction and description count only where the spec states them. */
function matches(rule: SpecRule, observed: ObservedRule): boolean {
  const { description } = rule;
  return isSame(rule, observed) && (description === undefined || description === observed['description']);
}

/** Whether both let the same through: Neutron does not take one beside the other. */
function isSame(rule: SpecRule, observed: ObservedRule): boolean {
  const { direction, ethertype, portRange, protocol = '', remoteIPPrefix } = rule;
  return (
    (observed['remote_group_id'] ?? null) === null &&
    (observed['remote_address_group_id'] ?? null) === null &&
    ethertype === observed['ethertype'] &&
    protocolOf(protocol, ethertype) === protocolOf(observed['protocol'] ?? '', ethertype) &&
    // mutant: port-zero-means-all ===.1 -> (portRange?.min || null)
    (portRange?.min ?? null) === (observed['port_range_min'] ?? null) &&
    // mutant: port-zero-means-all ===.1 -> (portRange?.max || null)
    (portRange?.max ?? null) === (observed['port_range_max'] ?? null) &&
    prefixOf(remoteIPPrefix) === prefixOf(observed['remote_ip_prefix']) &&
    (direction === undefined || direction === observed['direction'])
  );
}

function attributesOf(rule: SpecRule): ObservedRule {
  const { description, direction, ethertype, portRange, protocol, remoteIPPrefix } = rule;
  const attributes = {
    direction,
    ethertype,
    protocol,
    description,
    // mutant: icmp-zero-not-sent : -> $ || undefined
    port_range_min: portRange?.min,
    port_range_max: portRange?.max,
    remote_ip_prefix: remoteIPPrefix === undefined ? undefined : canonicalAddress(remoteIPPrefix),
  };
  return Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
  );
}

function specifiedIn(resource: JsonObject): readonly SpecRule[] {
  const { rules } = resource;
  return Array.isArray(rules) ? (rules as unknown as readonly SpecRule[]) : [];
}

function observedIn({ security_group_rules: rules }: JsonObject): readonly ObservedRule[] {
  return Array.isArray(rules) ? rules.filter(isJsonObject) : [];
}

/** Number of a protocol, or its name where that has none here. Under IPv6 Neutron stores every ICMP as `ipv6-icmp`. */
function protocolOf(protocol: Json, ethertype: string): number | string {
  const name = String(protocol).toLowerCase();
  const number = PROTOCOLS.get(name) ?? (/^\d+$/.test(name) ? Number(name) : name);
  // mutant: icmp-of-ipv6-is-another return -> number
  return number === ICMP && ethertype === 'IPv6' ? ICMPV6 : number;
}

function isIcmp(protocol: number | string): boolean {
  return protocol === ICMP || protocol === ICMPV6;
}

/** All addresses are as good as none stated. */
function prefixOf(prefix: Json | undefined): string {
  const spelled = typeof prefix === 'string' && prefix !== '' ? canonicalAddress(prefix) : '';
  return spelled.endsWith('/0') ? '' : spelled;
}

function explained(given: unknown, doing: string): unknown {
  const error = transient(given);
  if (!(error instanceof TransientError)) return error;
  const { retryAfterMs } = error;
  return new TransientError(`${doing}: ${error.message}`, {
    cause: error,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
