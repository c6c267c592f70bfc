// The root causes of all that waits in a namespace, each with who waits for it.
import type { Address } from '../../bus/mod.ts';
import { resourceOf } from '../object/registry.ts';
import { unknownKind } from './causes.ts';
import { type Cause, causesOf, keyOf, labelOf, ranked } from './findings.ts';
import { Inquiry, type InquiryDeps } from './inquiry.ts';

export interface SharedCause extends Cause {
  /** The objects that it holds up, itself not among them. */
  readonly waiting: readonly string[];
}

export interface Overview {
  readonly namespace: string;
  /** How many there are of the kinds that have a life here. */
  readonly objects: number;
  /** How many of them wait, or have something wrong with them. */
  readonly waiting: number;
  /** The weightiest first; of equals, the one that most wait for. */
  readonly causes: readonly SharedCause[];
}

/**
 * @param notes  what is the cause, or part of it, wherever something waits
 * @throws as `Objects.list`
 */
export async function overviewOf(deps: InquiryDeps, namespace: string, notes: readonly Cause[]): Promise<Overview> {
  const { reading, registry } = deps;
  // Each object is explained once, whoever else waits for it.
  const inquiry = new Inquiry({ ...deps, repeats: 'whole' });
  const found = new Map<string, { readonly cause: Cause; readonly waiting: string[] }>();
  const all: Address[] = [];
  for (const kind of registry.kinds) {
    const { realm, plural } = kind;
    const listed = await reading.list(resourceOf(kind), namespace);
    for (const { metadata } of listed) all.push({ realm, plural, namespace, name: metadata.name });
  }
  const waiting: string[] = [];
  for (const address of all) {
    const finding = await inquiry.explain(address);
    const causes = causesOf(finding);
    if (causes.length > 0) waiting.push(labelOf(finding));
    for (const cause of causes) {
      const shared = found.get(keyOf(cause)) ?? { cause, waiting: [] };
      found.set(keyOf(cause), shared);
      if (finding.cause !== cause || cause.at !== undefined) shared.waiting.push(labelOf(finding));
    }
  }
  const causes: SharedCause[] = [...found.values()]
    .map(({ cause, waiting: who }) => ({ ...cause, waiting: who }))
    .toSorted((left, right) => right.waiting.length - left.waiting.length);
  if (waiting.length > 0) causes.push(...notes.map((cause) => ({ ...cause, waiting })));
  if (all.length === 0) causes.push(...(await missingKinds(deps)));
  return { namespace, objects: all.length, waiting: waiting.length, causes: ranked(causes) };
}

/** The first kind that the cluster does not have: where there are no objects that may be why. */
async function missingKinds({ reading, registry }: InquiryDeps): Promise<readonly SharedCause[]> {
  for (const kind of registry.kinds) {
    const kinds = await reading.kindsBeside(kind);
    if (kinds === undefined || kinds.includes(kind.kind)) continue;
    return [{ ...unknownKind(kind, kinds, { isOurs: true, askedBy: undefined }), waiting: [] }];
  }
  return [];
}
