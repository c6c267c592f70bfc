// The page of a type.
import type { DeclaredType, EnumType, Resource, StructType, Type, Version } from '../model/mod.ts';
import { anchor, code, link, page, table } from './markdown.ts';
import { brief, long, relativeTo, type Site } from './site.ts';

/** Uses of types: lines of links by type, for the page of each. */
export type Uses = ReadonlyMap<DeclaredType, readonly ((from: string) => string)[]>;

/** All uses of the types of some versions, each attribute and method once. */
export function usesIn(versions: readonly Version[], site: Site): Uses {
  const uses = new Map<DeclaredType, ((from: string) => string)[]>();
  const add = (types: readonly Type[], line: (from: string) => string): void => {
    for (const type of new Set(types.flatMap(declaredIn))) {
      const lines = uses.get(type);
      if (lines === undefined) uses.set(type, [line]);
      else lines.push(line);
    }
  };
  const use = (what: string, owner: DeclaredType | Resource, name: string, heading: string) => (from: string) =>
    `${what} ${link(`${owner.name.camel}.${name}`, `${relativeTo(from, site.file(owner))}#${anchor(heading)}`)}`;
  for (const { types, resources } of versions) {
    for (const type of types) {
      for (const { name, wireName, type: used } of type.kind === 'enum' ? [] : type.attributes) {
        add([used], use('attribute', type, name.camel, wireName));
      }
    }
    for (const resource of resources) {
      for (const { name, parameters } of resource.methods) {
        add(
          parameters.map(({ type }) => type),
          use('method', resource, name.camel, name.camel),
        );
      }
    }
  }
  return uses;
}

function declaredIn(type: Type): DeclaredType[] {
  switch (type.kind) {
    case 'class':
    case 'struct':
    case 'enum':
      return [type];
    case 'list':
      return declaredIn(type.element);
    case 'map':
      return [...declaredIn(type.key), ...declaredIn(type.element)];
    default:
      return [];
  }
}

export function typePage(type: DeclaredType, site: Site, uses: Uses): string {
  const file = site.file(type);
  const { camel } = type.name;
  const used = uses.get(type) ?? [];
  return page(
    [`# ${camel}`, '', `${type.kind} of ${link(code(type.version.url), 'index.md')}`, '', ...long(type)],
    type.copyOf === undefined
      ? []
      : [`Taken over from ${link(type.copyOf.version.url, relativeTo(file, site.file(type.copyOf)))}.`, ''],
    type.kind === 'enum' ? values(type) : attributes(type, site, file),
    used.length === 0 ? [] : ['## Used by', '', ...used.map((line) => `- ${line(file)}`)],
  );
}

function values({ values }: EnumType): string[] {
  return [
    '## Values',
    '',
    ...table(
      ['value', 'summary'],
      values.map((value) => [link(code(value.wireName), `#${anchor(value.wireName)}`), brief(value)]),
    ),
    ...values.flatMap((value) => [
      `### ${code(value.wireName)}`,
      '',
      `Name in the model: ${value.name.camel}`,
      '',
      ...long(value),
    ]),
  ];
}

function attributes({ kind, name, attributes }: StructType, site: Site, file: string): string[] {
  const own =
    kind === 'class'
      ? [
          [code('kind'), 'String', `${code(name.camel)}, or ${code(`${name.camel}Link`)} for a link.`],
          [code('id'), 'String', 'Unique identifier of the object.'],
          [code('href'), 'String', 'Self link.'],
        ]
      : [];
  const typed = attributes.map((attribute) => {
    const type = site.type(attribute.type, file);
    return { attribute, type: attribute.link ? `link to ${type}` : type };
  });
  return [
    '## Attributes',
    '',
    ...table(
      ['name', 'type', 'summary'],
      [
        ...own,
        ...typed.map(({ attribute, type }) => [
          link(code(attribute.wireName), `#${anchor(attribute.wireName)}`),
          type,
          brief(attribute),
        ]),
      ],
    ),
    ...typed.flatMap(({ attribute, type }) => [
      `### ${code(attribute.wireName)}`,
      '',
      `Type: ${type}`,
      '',
      ...long(attribute),
    ]),
  ];
}
