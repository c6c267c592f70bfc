// Fields that have another name in v1beta1, and the same meaning.
import { isMap, type JsonMap } from '../../../json-values.ts';
import { changedAt, EACH, type Path } from '../paths.ts';
import type { Rule } from './rule.ts';

interface Renaming {
  /** Paths of the objects that have the fields. */
  readonly at: readonly Path[];
  /** From v1alpha1 to v1beta1. */
  readonly names: ReadonlyMap<string, string>;
}

const PHYSICAL_DISKS = ['raid', 'softwareRAIDVolumes', EACH, 'physicalDisks', EACH] as const;

const RENAMINGS: readonly Renaming[] = [
  { at: [['spec']], names: new Map([['online', 'poweredOn']]) },
  {
    at: [
      ['spec', 'rootDeviceHints'],
      ['status', 'provisioning', 'rootDeviceHints'],
      ['spec', ...PHYSICAL_DISKS],
      ['status', 'provisioning', ...PHYSICAL_DISKS],
    ],
    names: new Map([
      ['deviceName', 'devicePath'],
      ['model', 'modelContains'],
      ['vendor', 'vendorContains'],
    ]),
  },
];

const RENAMINGS_BACK: readonly Renaming[] = RENAMINGS.map(({ at, names }) => ({ at, names: inverse(names) }));

/** Name in v1beta1 of each renamed key of v1alpha1. */
export const NAMES_IN_V1BETA1: ReadonlyMap<string, string> = new Map(RENAMINGS.flatMap(({ names }) => [...names]));

/** Treatment of a field that already has the name of the other version. */
type Strangers = 'dropped' | 'kept';

/** A field of no version that is converted would take on a meaning by its name in the other one. */
export const names: Rule = {
  toV1beta1: (object) => renamed(object, RENAMINGS, 'dropped'),
  toV1alpha1: (object) => renamed(object, RENAMINGS_BACK, 'dropped'),
};

/** A host, or what there is of it, by v1alpha1 names, whichever names it has. A v1beta1 name counts more. */
export function inV1alpha1Names(object: JsonMap): JsonMap {
  return renamed(object, RENAMINGS_BACK, 'kept');
}

function renamed(object: JsonMap, renamings: readonly Renaming[], strangers: Strangers): JsonMap {
  let result = object;
  for (const { at, names } of renamings) {
    for (const path of at) {
      result = changedAt(result, path, (value) => (isMap(value) ? withNames(value, names, strangers) : value));
    }
  }
  return result;
}

/** Fields keep their places. */
function withNames(map: JsonMap, names: ReadonlyMap<string, string>, strangers: Strangers): JsonMap {
  const formerNames = inverse(names);
  const mayStay = (key: string): boolean => {
    const former = formerNames.get(key);
    return former === undefined || (strangers === 'kept' && !Object.hasOwn(map, former));
  };
  return Object.fromEntries(
    Object.entries(map)
      .filter(([key]) => mayStay(key))
      .map(([key, value]) => [names.get(key) ?? key, value]),
  );
}

function inverse(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...names].map(([from, to]) => [to, from]));
}
