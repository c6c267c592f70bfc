// All that is known of one object: its state at the API server, its messages, its history, and what it waits for.
import { acceptOf, type KubeClient, resourcePath } from '../../adapters/kubernetes/mod.ts';
import {
  AbsentError,
  type Address,
  addressKey,
  type Bus,
  type JsonObject,
  parseAddressKey,
  type ReceivedEvent,
  toErrorData,
} from '../../bus/mod.ts';
import type { Kind } from '../../machines/kind.ts';
import { traceIdOf } from '../base/change-trace.ts';
import type { DiagnosisDeps } from '../diagnosis/diagnosis.ts';
import { type Finding, labelOf } from '../diagnosis/findings.ts';
import { explainWait, type Notes, type Why } from '../diagnosis/infrastructure-causes.ts';
import { type Registry, resourceOf } from '../object/registry.ts';
import { messageViewsOf } from './messages.ts';
import { severityOf } from './problems.ts';
import { userEventsOf } from './user-events.ts';
import type { ChainLine, Inspected, RecentEvent } from './wire.ts';

export interface InspectionDeps {
  readonly bus: Pick<Bus, 'mailbox' | 'trace'>;
  readonly client: Pick<KubeClient, 'call'>;
  readonly registry: Registry;
  /** Whose objects are shown; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
}

/** Events of one object, the newest. */
const HAPPENINGS = 500;
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** An address that may be shown, and its kind; undefined: it has no lifecycle here, as a Secret. */
export function shownBy(
  { registry, namespaces }: Pick<InspectionDeps, 'registry' | 'namespaces'>,
  key: string,
): { readonly address: Address; readonly kind: Kind } | undefined {
  const address = parseAddressKey(key);
  const kind = address && registry.kind(address);
  if (address === undefined || kind === undefined || isSecret(kind)) return undefined;
  const isElsewhere = address.namespace !== '' && namespaces?.includes(address.namespace) === false;
  return isElsewhere ? undefined : { address, kind };
}

/** @param inquiry  of now */
export async function inspected(
  deps: InspectionDeps,
  { address, kind }: { readonly address: Address; readonly kind: Kind },
  inquiry: DiagnosisDeps,
  notes: Notes,
): Promise<Inspected> {
  const [object, mail, history, why, events] = await Promise.all([
    objectOf(deps, address, kind),
    readMessagesOf(deps, address),
    historyOf(deps, address),
    toldWhy(inquiry, address, notes),
    userEventsOf(deps.client, address, kind.kind),
  ]);
  return {
    at: inquiry.now,
    ...(object !== undefined && { object }),
    machine: kind.life.machine.id,
    ...mail,
    history,
    ...why,
    ...events,
  };
}

/** Without what is of use to programs alone. @throws as `KubeClient.call` */
async function objectOf(
  { client }: InspectionDeps,
  { namespace, name }: Address,
  kind: Kind,
): Promise<JsonObject | undefined> {
  const resource = resourceOf(kind);
  try {
    const path = resourcePath(resource, namespace, name);
    const { body } = await client.call({ method: 'GET', path, accept: acceptOf(resource, 'one') });
    const { managedFields: _, annotations = {}, ...metadata } = body['metadata'] as JsonObject;
    const { [LAST_APPLIED]: __, ...others } = annotations as JsonObject;
    return {
      ...body,
      metadata: { ...metadata, ...(Object.keys(others).length > 0 && { annotations: others }) },
    };
  } catch (error) {
    if (error instanceof AbsentError) return undefined;
    throw error;
  }
}

async function readMessagesOf(
  { bus, registry }: InspectionDeps,
  address: Address,
): Promise<Pick<Inspected, 'mail' | 'mailTrouble'>> {
  try {
    return { mail: await messageViewsOf({ mailbox: bus.mailbox, registry }, address) };
  } catch (error) {
    return { mail: [], mailTrouble: toErrorData(error).message };
  }
}

/** None where none are kept, or where the bus is down: that is reported elsewhere. */
async function historyOf({ bus }: InspectionDeps, actor: Address): Promise<readonly RecentEvent[]> {
  let newest: ReceivedEvent[] = [];
  try {
    for await (const event of bus.trace.history({ actor })) {
      newest.push(event);
      if (newest.length >= 2 * HAPPENINGS) newest = newest.slice(-HAPPENINGS);
    }
  } catch (error) {
    if (toErrorData(error).code === 'terminal') throw error;
  }
  return newest
    .slice(-HAPPENINGS)
    .map(({ at, type, data, traceparent }) => ({ at, type, data, traceId: traceIdOf(traceparent) }));
}

async function toldWhy(
  deps: DiagnosisDeps,
  address: Address,
  notes: Notes,
): Promise<Pick<Inspected, 'chain' | 'causes'>> {
  try {
    const { finding, inquiry, causes: all } = await explainWait(deps, address, notes);
    const causes = all.map(({ summary, advice, weight }) => ({ summary, advice, severity: severityOf(weight) }));
    return { chain: causes.length === 0 ? [] : linesOf(finding, inquiry, 0), causes };
  } catch (error) {
    const summary = `cannot read what it waits for: ${toErrorData(error).message}`;
    return { chain: [], causes: [{ summary, advice: '', severity: 'waiting' }] };
  }
}

function linesOf(finding: Finding, inquiry: Why['inquiry'], depth: number): readonly ChainLine[] {
  const address = inquiry.addressOf(finding);
  const below = [...finding.needs, ...(finding.heldBy ?? []).flatMap(({ holders }) => holders)];
  const { standing, progressing, cause } = finding;
  return [
    {
      depth,
      key: address === undefined ? '' : addressKey(address),
      label: labelOf(finding),
      standing,
      said: progressing?.message ?? cause?.summary ?? '',
    },
    ...below.flatMap((each) => linesOf(each, inquiry, depth + 1)),
  ];
}

function isSecret({ group, plural }: Pick<Kind, 'group' | 'plural'>): boolean {
  return group === '' && plural === 'secrets';
}
