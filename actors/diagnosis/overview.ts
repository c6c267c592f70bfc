// Overview of a namespace: root causes of all waiting objects, each with the objects that wait for it.
import { type Address, addressKey } from '../../bus/mod.ts';
import { resourceOf } from '../object/registry.ts';
import { Diagnosis, type DiagnosisDeps } from './diagnosis.ts';
import { type Cause, keyOf, labelOf, toldIn } from './findings.ts';
import type { Notes, ReportedCause } from './infrastructure-causes.ts';
import { unknownKind } from './root-causes.ts';

export interface SharedCause extends Cause {
  /** The objects that it holds up, itself not among them. */
  readonly waiting: readonly string[];
}

export interface Overview {
  readonly namespace: string;
  /** Number of objects of managed kinds. */
  readonly objects: number;
  /** Number of them that wait, or have a problem. */
  readonly waiting: number;
  /** The weightiest first; of equals, the one that most wait for. */
  readonly causes: readonly SharedCause[];
}

/** Cause with its location and the objects that wait for it. */
export interface SurveyedCause extends ReportedCause {
  readonly waiting: readonly Address[];
}

export interface Survey {
  readonly objects: readonly Address[];
  /** Those that wait, or have something wrong with them. */
  readonly waiting: readonly Address[];
  /** The weightiest first; of equals, the one that most wait for. */
  readonly causes: readonly SurveyedCause[];
}

/** @throws as `Objects.list`, and what `notes` throws */
export async function overviewOf(deps: DiagnosisDeps, namespace: string, notes?: Notes): Promise<Overview> {
  const { objects, waiting, causes } = await surveyOf(deps, namespace, notes);
  const label = (address: Address): string =>
    labelOf({ kind: deps.registry.resource(address)?.kind ?? address.plural, name: address.name });
  return {
    namespace,
    objects: objects.length,
    waiting: waiting.length,
    causes: causes.map(({ cause, waiting: who }) => ({ ...cause, waiting: who.map(label) })),
  };
}

/** The same with addresses in place of labels. @throws as `Objects.list`, and what `notes` throws */
export async function surveyOf(deps: DiagnosisDeps, namespace: string, notes?: Notes): Promise<Survey> {
  const { reading, registry } = deps;
  // Each object is explained once, independent of its dependents.
  const inquiry = new Diagnosis({ ...deps, repeats: 'whole' });
  const found = new Map<string, { readonly cause: Cause; readonly by: Address | undefined; waiting: Address[] }>();
  const objects: Address[] = [];
  for (const kind of registry.kinds) {
    const { realm, plural } = kind;
    const listed = await reading.list(resourceOf(kind), namespace);
    for (const { metadata } of listed) objects.push({ realm, plural, namespace, name: metadata.name });
  }
  const waiting: Address[] = [];
  for (const address of objects) {
    const finding = await inquiry.explain(address);
    const reported = toldIn(finding).toSorted((left, right) => right.cause.weight - left.cause.weight);
    if (reported.length > 0) waiting.push(address);
    for (const { cause, by } of reported) {
      const shared = found.get(keyOf(cause)) ?? { cause, by: inquiry.addressOf(by), waiting: [] };
      found.set(keyOf(cause), shared);
      if (finding.cause !== cause || cause.at !== undefined) shared.waiting.push(address);
    }
  }
  const causes: SurveyedCause[] = [...found.values()].toSorted(
    (left, right) => right.waiting.length - left.waiting.length,
  );
  const around = waiting.length > 0 ? ((await notes?.(causes)) ?? []) : [];
  // Each of them is among the causes above: dependents of the reporting object wait for the blocked cause.
  causes.push(
    ...around.map(({ cause, holdsUp }) => {
      const whole = causes.filter((each) => holdsUp.some((held) => held.cause === each.cause));
      const keys = new Set(whole.flatMap(({ by, waiting: who }) => [...(by ? [by] : []), ...who]).map(addressKey));
      return { cause, by: undefined, waiting: waiting.filter((address) => keys.has(addressKey(address))) };
    }),
  );
  if (objects.length === 0) causes.push(...(await missingKinds(deps)));
  return { objects, waiting, causes: causes.toSorted((left, right) => right.cause.weight - left.cause.weight) };
}

/** The first kind that the cluster does not have: where there are no objects that may be why. */
async function missingKinds({ reading, registry }: DiagnosisDeps): Promise<readonly SurveyedCause[]> {
  for (const kind of registry.kinds) {
    const kinds = await reading.kindsBeside(kind);
    if (kinds === undefined || kinds.includes(kind.kind)) continue;
    const cause = unknownKind(kind, kinds, { isOurs: true, askedBy: undefined });
    return [{ cause, by: undefined, waiting: [] }];
  }
  return [];
}
