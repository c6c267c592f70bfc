// `fields`: which members of an object are sent.
import type { Attribute, StructType, Type } from '../../model/mod.ts';
import { refuse } from '../envelope/faults.ts';
import { isObject } from '../store/links.ts';
import type { Value } from '../store/store.ts';
import { MOST_PARTS } from './fields.ts';

/** The kept part of an object; a member without further ones is kept whole. */
interface Kept {
  readonly members: Map<string, Kept | 'whole'>;
}

const MOST_FIELDS = 200;
const IDENTITY = ['kind', 'id', 'href'] as const;

/**
 * @param text  wire paths, such as `id,name,region.id`; blanks and empty pieces are skipped
 * @returns reduces an object as it is sent; undefined where nothing is asked for
 * @throws {RefusedRequest} 400: a name that objects of the type cannot have
 */
export function projectionOf(text: string, type: StructType): ((object: Value) => Value) | undefined {
  const paths = text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  if (paths.length === 0) return undefined;
  if (paths.length > MOST_FIELDS) refuse(400, `At most ${MOST_FIELDS} fields can be asked for`);
  const kept: Kept = { members: new Map(type.kind === 'class' ? IDENTITY.map((name) => [name, 'whole']) : []) };
  for (const path of paths) {
    const parts = path.split('.');
    // mutant: gateway-any-field if -> false
    // mutant: gateway-projection-of-any-depth ||.1 -> false
    if (parts.length > MOST_PARTS || !isPath(parts, type))
      refuse(400, `'${path.slice(0, 200)}' is not a valid field name`);
    keep(kept, parts);
  }
  return (object) => reduced(object, kept);
}

function keep(kept: Kept, parts: readonly string[]): void {
  let { members } = kept;
  for (const [index, part] of parts.entries()) {
    const known = members.get(part);
    if (known === 'whole') return;
    if (index === parts.length - 1) {
      members.set(part, 'whole');
      return;
    }
    const inner = known ?? { members: new Map() };
    members.set(part, inner);
    members = inner.members;
  }
}

function reduced(value: Value, { members }: Kept): Value {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      const inner = members.get(name);
      if (inner === undefined) return [];
      return [[name, inner === 'whole' ? member : reducedMember(member, inner)]];
    }),
  );
}

function reducedMember(member: unknown, kept: Kept): unknown {
  if (Array.isArray(member)) return member.map((each) => reducedMember(each, kept));
  return isObject(member) ? reduced(member, kept) : member;
}

function isPath(parts: readonly string[], type: StructType): boolean {
  let at: Type = type;
  let link: Attribute | undefined;
  for (const part of parts) {
    if (at.kind === 'interface') return true;
    if (at.kind === 'map') {
      at = at.element;
      continue;
    }
    const plain: Type = at.kind === 'list' ? at.element : at;
    if (plain.kind !== 'struct' && plain.kind !== 'class') return false;
    const isIdentity = plain.kind === 'class' && (IDENTITY as readonly string[]).includes(part);
    if (isIdentity) return part === parts.at(-1);
    if (link !== undefined) return false;
    const attribute: Attribute | undefined = plain.attributes.find(({ wireName }) => wireName === part);
    if (attribute === undefined) return false;
    link = attribute.link && plain.kind === 'class' ? attribute : undefined;
    at = attribute.type;
  }
  return true;
}
