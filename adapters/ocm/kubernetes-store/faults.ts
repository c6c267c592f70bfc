// Errors of an object, in terms of the model: nothing of Kubernetes is mentioned.
import type { ModelKind } from '../kinds/kinds.ts';
import { wirePathOf } from '../kinds/values.ts';

/** Number of causes that are reported, at most. */
const TOLD = 5;
/** Prefix of the API server's messages: `Invalid value: "integer": `. */
const PREFIX =
  /^(Invalid value|Required value|Unsupported value|Forbidden|Too many|Too long|Duplicate value)(: ("(\\.|[^"\\])*"|[-\d.]+|\{\}|null|true|false))?(: |$)/;

/** Prefix of a schema's messages: `spec.nodes.compute in body `. */
const IN_BODY = /^\S+ in body /;

/** One sentence that names the attributes. */
export function reasonOf(
  kind: ModelKind,
  causes: readonly { readonly field: string; readonly message: string }[],
): string {
  const told = causes.flatMap(({ field, message }) => {
    const attribute = attributeAt(kind, field);
    if (attribute === undefined) return [];
    const [what, label] = PREFIX.exec(message) ?? [''];
    const rest = message.slice(what.length).replace(IN_BODY, '');
    if (label === 'Required value') return [`Attribute '${attribute}' is missing`];
    // A rule names the property that it is about.
    const own = field.slice(field.lastIndexOf('.') + 1);
    const words = rest.replaceAll(new RegExp(`\\b${own.replaceAll(/[^\w]/g, '\\$&')}\\b`, 'g'), lastOf(attribute));
    return [`Attribute '${attribute}' is not valid${words === '' ? '' : `: ${words}`}`];
  });
  const shown = [...new Set(told)].slice(0, TOLD);
  return shown.length === 0 ? `This ${kind.type.name.camel} is not valid` : shown.join('; ');
}

function attributeAt({ spec, parent }: ModelKind, field: string): string | undefined {
  const [, path = ''] = /^spec\.(.+)$/.exec(field) ?? [];
  if (path === '') return undefined;
  return wirePathOf(spec, path) ?? (path === parent?.property ? parent.type.name.snake : undefined);
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
