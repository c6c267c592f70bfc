// Hover text: declaration, fate and documentation.
import {
  type Declaration,
  markedName,
  methodForm,
  type Part,
  type Scope,
  type TypeEntry,
  type TypeSyntax,
} from '../model/mod.ts';
import { takenOver } from './definition.ts';
import type { Sight } from './symbols-at.ts';

const BUILT_IN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    boolean: '`true` or `false`.',
    integer: 'A whole number of 32 bits.',
    long: 'A whole number of 64 bits.',
    float: 'A number of double precision.',
    string: 'A text.',
    date: 'An instant: a text as RFC 3339 has it, with its zone.',
    interface: 'Any JSON value.',
  }),
);
export const MARK_TEXTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    json: 'The name in JSON: of a property, a value, or a field of a body.',
    http: 'The name in the URL: of a query parameter, or of a part of the path.',
    go: 'The name in generated Go; it changes nothing else.',
    deprecated: 'Marked as deprecated in OpenAPI and documentation.',
    ref: 'Takes over a class of another service: `@ref(path = "/service/version/type")`.',
  }),
);

/** @returns Markdown; undefined where there is nothing to say */
export function hoverOf(sight: Sight, scope: Scope): string | undefined {
  switch (sight.what) {
    case 'type': {
      const { key, camel } = sight.word.name;
      const builtIn = BUILT_IN.get(key);
      if (builtIn !== undefined) return page(camel, [], builtIn);
      const entry = scope.find(key);
      return entry && typePage(entry);
    }
    case 'resource': {
      const resource = scope.resources.get(sight.word.name.key);
      return resource && declarationPage(resource, []);
    }
    case 'mark': {
      const entry = takenOver(sight.mark, scope);
      return entry === undefined ? MARK_TEXTS.get(sight.mark.name) : typePage(entry);
    }
    case 'declaration': {
      const { part } = sight;
      if (part.form === 'resource' || part.form === 'error') return declarationPage(part, []);
      const entry = scope.find(part.item.name.key);
      return entry === undefined ? declarationPage(part, []) : typePage(entry);
    }
    case 'attribute': {
      const { item, type, link } = sight.part;
      const json = markedName(item, 'json') ?? item.name.snake;
      return partPage(sight.part, `${link ? 'link ' : ''}${item.name.text} ${typeText(type)}`, [`JSON: \`${json}\``]);
    }
    case 'value': {
      const json = markedName(sight.part.item, 'json') ?? sight.part.item.name.snake;
      return partPage(sight.part, sight.part.item.name.text, [`JSON: \`"${json}"\``]);
    }
    case 'locator': {
      const { item, target, variable } = sight.part;
      const segment = markedName(item, 'http') ?? item.name.snake;
      const facts = [`URL: \`…/${variable ? `{${segment}_id}` : segment}\``];
      return partPage(sight.part, `locator ${item.name.text}${target ? ` to ${target.name.text}` : ''}`, facts);
    }
    case 'method': {
      const { item } = sight.part;
      const { kind, verb, status } = methodForm(item.name.key);
      const segment = kind === 'action' ? `/${markedName(item, 'http') ?? item.name.snake}` : '';
      return partPage(sight.part, `method ${item.name.text}`, [`HTTP: \`${verb} …${segment}\`, ${status}`]);
    }
    case 'parameter': {
      const { item, input, output, type, default: value } = sight.part;
      const direction = `${input ? 'in ' : ''}${output ? 'out ' : ''}`;
      const given = value === undefined ? '' : ` = ${JSON.stringify(value)}`;
      return partPage(sight.part, `${direction}${item.name.text} ${typeText(type)}${given}`, []);
    }
  }
}

/** One line that says what a type is, and where it comes from. */
export function typeDetail(entry: TypeEntry): string {
  const { service, name } = originOf(entry);
  return `${entry.syntax.form}${entry.copyOf === undefined ? '' : ` of ${service.snake}/${name.snake}`}`;
}

function typePage(entry: TypeEntry): string {
  const { service, name } = originOf(entry);
  const from = entry.copyOf === undefined ? [] : [`Taken over from \`${service.snake}/${name.snake}\``];
  return declarationPage(entry.syntax, from);
}

function originOf(entry: TypeEntry): Scope {
  return entry.copyOf === undefined ? entry.scope : originOf(entry.copyOf);
}

function declarationPage(part: Declaration, facts: readonly string[]): string {
  const values = part.form === 'enum' ? part.values.map(({ item }) => item.name.text).join(', ') : '';
  const all = part.form === 'error' ? [...facts, `Code: ${part.code}`] : facts;
  return partPage(part, `${part.form} ${part.item.name.text}`, values === '' ? all : [...all, `Values: ${values}`]);
}

function partPage({ item }: Part, head: string, facts: readonly string[]): string {
  return page(head, item.deprecated ? ['Deprecated', ...facts] : facts, item.documentation);
}

function page(head: string, facts: readonly string[], documentation: string): string {
  return [`\`\`\`\n${head}\n\`\`\``, facts.join('  \n'), documentation].filter((text) => text !== '').join('\n\n');
}

function typeText({ form, element, key }: TypeSyntax): string {
  if (form === 'plain') return element.name.text;
  return `[${key?.name.text ?? ''}]${element.name.text}`;
}
