// Graph of references, as plain data. Pure.
import type { Standing } from '../../diagnosis/findings.ts';
import { labelIn, type Survey } from '../../diagnosis/namespace-scan.ts';

export interface Graph {
  /** Undefined: all of them. */
  readonly namespace?: string;
  readonly nodes: readonly GraphNode[];
  /** Edges from dependents to dependencies. */
  readonly edges: readonly { readonly from: string; readonly to: string; readonly neededFor: string }[];
}

export interface GraphNode {
  /** `<Kind>/<name>`, or `<Kind>/<namespace>/<name>` where that is another one, or where all are drawn; no two nodes have the same. */
  readonly id: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly standing: Standing;
  /** For how long it has been so, in milliseconds. */
  readonly sinceMs?: number;
}

/** @param namespace  whose graph it is; undefined: that of all */
export function graphOf(survey: Survey, namespace: string | undefined): Graph {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  for (const each of survey.values()) {
    const label = labelIn(namespace ?? '', each);
    const own = taken.has(label) ? `${label} (${each.address.plural}, ${each.address.realm})` : label;
    taken.add(own);
    ids.set(each.key, own);
  }
  const id = (key: string): string => ids.get(key) ?? key;
  return {
    ...(namespace !== undefined && { namespace }),
    nodes: [...survey.values()].map(({ key, address, finding: { kind, name, standing, sinceMs } }) => {
      return {
        id: id(key),
        kind,
        namespace: address.namespace,
        name,
        standing,
        ...(sinceMs !== undefined && { sinceMs }),
      };
    }),
    edges: [...survey.values()].flatMap(({ key, references }) =>
      references.map(({ key: to, neededFor }) => ({ from: id(key), to: id(to), neededFor })),
    ),
  };
}
