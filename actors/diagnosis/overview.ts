// The root causes of all waiting objects in a namespace, each with the objects that wait for it.
import { type Address, addressKey } from '../../bus/mod.ts';
import { Diagnosis, type DiagnosisDeps } from './diagnosis.ts';
import { type Cause, keyOf, labelOf, toldIn } from './findings.ts';
import type { Notes, ReportedCause } from './infrastructure-causes.ts';
import { addressesIn } from './namespace-scan.ts';
import { unknownKind } from './root-causes.ts';

export interface SharedCause extends Cause {
  /** The objects that it holds up, itself not among them. */
  readonly waiting: readonly string[];
}

export interface Overview {
  /** Empty: what is in none. */
  readonly namespace: string;
  /** Number of objects of the kinds that have a lifecycle here. */
  readonly objects: number;
  /** Number of them that wait, or have a problem. */
  readonly waiting: number;
  /** The weightiest first; of equals, the one that most wait for. */
  readonly causes: readonly SharedCause[];
}

/** The root causes in all namespaces that have objects. */
export interface ClusterOverview {
  readonly namespaces: readonly Overview[];
  /** Causes that block objects of several namespaces: the bus, another controller. */
  readonly causes: readonly SharedCause[];
}

/** A cause, its place, and the objects that wait for it. */
export interface ScannedCause extends ReportedCause {
  readonly waiting: readonly Address[];
}

export interface Survey {
  readonly objects: readonly Address[];
  /** Those that wait, or have something wrong with them. */
  readonly waiting: readonly Address[];
  /** The weightiest first; of equals, the one that most wait for. */
  readonly causes: readonly ScannedCause[];
}

/** Number of objects that are explained in one turn of the event loop: some milliseconds. */
const SLICE = 100;

/** @throws as `Objects.list`, and what `notes` throws */
export async function overviewOf(deps: DiagnosisDeps, namespace: string, notes?: Notes): Promise<Overview> {
  return overviewFrom(deps, namespace, await surveyOf(deps, namespace, notes));
}

function overviewFrom(
  { registry }: Pick<DiagnosisDeps, 'registry'>,
  namespace: string,
  { objects, waiting, causes }: Survey,
): Overview {
  const label = (address: Address): string =>
    labelOf({ kind: registry.resource(address)?.kind ?? address.plural, name: address.name });
  return {
    namespace,
    objects: objects.length,
    waiting: waiting.length,
    causes: causes.map(({ cause, waiting: who }) => ({ ...cause, waiting: who.map(label) })),
  };
}

/**
 * A namespace at a time: objects of two namespaces may have one name, and causes the same words.
 *
 * @throws as `Objects.list`, and what `notes` throws
 */
export async function clusterOverviewOf(deps: DiagnosisDeps, notes?: Notes): Promise<ClusterOverview> {
  const all = await addressesIn(deps, undefined);
  const surveys: { readonly namespace: string; readonly survey: Survey }[] = [];
  for (const namespace of [...new Set(all.map((address) => address.namespace))].sort()) {
    surveys.push({ namespace, survey: await surveyOf(deps, namespace) });
  }
  const reported = surveys.flatMap(({ survey }) => survey.causes);
  const around = reported.length > 0 ? ((await notes?.(reported)) ?? []) : [];
  const label = ({ realm, plural, namespace, name }: Address): string =>
    labelOf({
      kind: deps.registry.resource({ realm, plural })?.kind ?? plural,
      name: namespace === '' ? name : `${namespace}/${name}`,
    });
  return {
    namespaces: surveys.map(({ namespace, survey }) => overviewFrom(deps, namespace, survey)),
    causes: around.map(({ cause, holdsUp }) => {
      const held = sharing(reported, holdsUp);
      const who = new Map(
        held.flatMap(({ by, waiting }) => [...(by ? [by] : []), ...waiting]).map((each) => [addressKey(each), each]),
      );
      return { ...cause, waiting: [...who.values()].map(label) };
    }),
  };
}

/**
 * The same with addresses in place of labels.
 *
 * @param namespace  empty: what is in none
 * @throws as `Objects.list`, and what `notes` throws
 */
export async function surveyOf(deps: DiagnosisDeps, namespace: string, notes?: Notes): Promise<Survey> {
  // Each object is explained once, for any number of objects that wait for it.
  const inquiry = new Diagnosis({ ...deps, repeats: 'whole' });
  const found = new Map<string, { readonly cause: Cause; readonly by: Address | undefined; waiting: Address[] }>();
  const objects = await addressesIn(deps, namespace);
  const waiting: Address[] = [];
  for (const [index, address] of objects.entries()) {
    // Objects that are read from memory would leave no time for anything else.
    // mutant: survey-holds-process drop
    if (index % SLICE === SLICE - 1) await new Promise<void>((resolve) => void setImmediate(resolve));
    const finding = await inquiry.explain(address);
    const reported = toldIn(finding).toSorted((left, right) => right.cause.weight - left.cause.weight);
    if (reported.length > 0) waiting.push(address);
    for (const { cause, by } of reported) {
      const shared = found.get(keyOf(cause)) ?? { cause, by: inquiry.addressOf(by), waiting: [] };
      found.set(keyOf(cause), shared);
      if (finding.cause !== cause || cause.at !== undefined) shared.waiting.push(address);
    }
  }
  const causes: ScannedCause[] = [...found.values()].toSorted(
    (left, right) => right.waiting.length - left.waiting.length,
  );
  const around = waiting.length > 0 ? ((await notes?.(causes)) ?? []) : [];
  // Each is among the causes above: an object that waits for one that reports a cause waits for the end of that cause.
  causes.push(
    ...around.map(({ cause, holdsUp }) => {
      const whole = sharing(causes, holdsUp);
      const keys = new Set(whole.flatMap(({ by, waiting: who }) => [...(by ? [by] : []), ...who]).map(addressKey));
      return { cause, by: undefined, waiting: waiting.filter((address) => keys.has(addressKey(address))) };
    }),
  );
  if (objects.length === 0) causes.push(...(await missingKinds(deps)));
  return { objects, waiting, causes: causes.toSorted((left, right) => right.cause.weight - left.cause.weight) };
}

/** Those whose cause is that of one of these. */
function sharing<Each extends ReportedCause>(all: readonly Each[], these: readonly ReportedCause[]): readonly Each[] {
  const causes = new Set(these.map(({ cause }) => cause));
  return all.filter(({ cause }) => causes.has(cause));
}

/** The first kind that the cluster does not have: where there are no objects that may be why. */
async function missingKinds({ reading, registry }: DiagnosisDeps): Promise<readonly ScannedCause[]> {
  for (const kind of registry.kinds) {
    const kinds = await reading.kindsBeside(kind);
    if (kinds === undefined || kinds.includes(kind.kind)) continue;
    const cause = unknownKind(kind, kinds, { isOurs: true, askedBy: undefined });
    return [{ cause, by: undefined, waiting: [] }];
  }
  return [];
}
