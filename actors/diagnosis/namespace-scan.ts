// Objects with state and references, for views of many objects.
import type { Resource } from '../../adapters/kubernetes/mod.ts';
import { type Address, addressKey } from '../../bus/mod.ts';
import type { Reference } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';
import { resourceOf } from '../object/registry.ts';
import { Diagnosis, type DiagnosisDeps, orElse } from './diagnosis.ts';
import { type Finding, labelOf } from './findings.ts';

/** One object. */
export interface ScannedObject {
  readonly key: string;
  readonly address: Address;
  readonly finding: Finding;
  /** Undefined: it is not there. */
  readonly object: KubeObject | undefined;
  /** Whether it has a lifecycle. */
  readonly lives: boolean;
  /** Whom it refers to, each once. */
  readonly references: readonly Referred[];
}

export interface Referred {
  /** Key of the dependency. */
  readonly key: string;
  readonly neededFor: Reference['neededFor'];
}

/** By `addressKey`. */
export type Survey = ReadonlyMap<string, ScannedObject>;

type SurveyDeps = Omit<DiagnosisDeps, 'repeats'>;

/**
 * The objects that live here.
 *
 * @param namespace  undefined: all of them, and what is in none; empty: only that
 * @throws as `Objects.list`
 */
export async function addressesIn(
  { reading, registry }: Pick<SurveyDeps, 'reading' | 'registry'>,
  namespace: string | undefined,
): Promise<readonly Address[]> {
  const kinds = registry.kinds.filter(
    ({ scope }) => namespace === undefined || (scope === 'Cluster') === (namespace === ''),
  );
  const lists = await Promise.all(kinds.map((kind) => reading.list(resourceOf(kind), namespace ?? '')));
  return kinds.flatMap(({ realm, plural }, index) =>
    (lists[index] ?? []).map(({ metadata: { namespace: of = '', name } }) => ({ realm, plural, namespace: of, name })),
  );
}

/** These objects and all that they refer to, directly or not. @throws as `Objects.get` and `Objects.list` */
export async function scanNamespace(deps: SurveyDeps, from: readonly Address[]): Promise<Survey> {
  const { reading, registry } = deps;
  const inquiry = new Diagnosis({ ...deps, repeats: 'whole' });
  const found = new Map<string, ScannedObject>();
  const waiting: { readonly address: Address; readonly askedBy?: string }[] = from.map((address) => ({ address }));
  for (const { address, askedBy } of waiting) {
    const key = addressKey(address);
    if (found.has(key)) continue;
    const kind = registry.kind(address);
    const object = await reading.get(registry.resource(address) as Resource, address);
    const finding = await inquiry.explain(address, askedBy);
    const references = new Map<string, Referred>();
    // An exception of a kind's code becomes the object's finding; the other objects are processed all the same.
    for (const reference of orElse(() => object && kind?.references(object), undefined) ?? []) {
      const target = orElse(() => registry.target(address, reference), undefined);
      if (target === undefined) continue; // unknown kind: reported for its dependents
      const other = addressKey(target);
      if (references.has(other)) continue;
      references.set(other, { key: other, neededFor: reference.neededFor });
      waiting.push({ address: target, askedBy: labelOf(finding) });
    }
    found.set(key, { key, address, finding, object, lives: kind !== undefined, references: [...references.values()] });
  }
  return found;
}

/** `<Kind>/<name>`, with the namespace in between where that is another one. */
export function labelIn(namespace: string, { finding, address }: Pick<ScannedObject, 'finding' | 'address'>): string {
  if (address.namespace === namespace || address.namespace === '') return labelOf(finding);
  return `${finding.kind}/${address.namespace}/${finding.name}`;
}
