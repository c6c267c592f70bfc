// A page for each kind: what it is, an example, its fields, what it refers to and what its status says. All of it is read from the
// contract and the CustomResourceDefinition made of it, and the examples are objects that the API server takes.

import type { Schema } from '../adapters/api/contract/contract.ts';
import { type Contract, crd, isWritten } from '../adapters/api/contract/crds.ts';
import type { JsonObject } from '../bus/mod.ts';

export interface KindPagesInput {
  readonly contracts: readonly Contract[];
  /** Example objects as YAML, by kind. */
  readonly examples: ReadonlyMap<string, string>;
}

/** Meaning of the conditions, by kind or by group. */
const CONDITIONS: Readonly<Record<string, readonly (readonly [type: string, meaning: string])[]>> = {
  'openstack.k-orc.cloud': [
    ['Available', '`True`: the resource exists and can be used; objects that refer to it continue'],
    [
      'Progressing',
      '`True`: something is in progress or retried; `False`: nothing is left to do, with the reason `Success`, or it was rejected until something changes',
    ],
    ['Drifted', 'only where drift is reported (`troupe/drift: report`): `True` names the fields that differ'],
  ],
  'windows.troupe.dev': [
    ['Ready', '`True`: it is as specified and can be used; otherwise the reason says what is in the way'],
  ],
  BareMetalHost: [
    ['Manageable', 'Ironic has the host and its BMC answers'],
    ['AvailableForProvisioning', 'it can be given an image, or claimed'],
    ['Provisioned', 'it runs the image that the spec names'],
    ['Ready', 'it is provisioned and nothing is under way'],
    ['Progressing', 'something is under way; the reason says what'],
    ['Healthy', 'what the BMC says of the hardware, where it says anything'],
  ],
  HostFirmwareSettings: [
    ['Valid', 'the settings go with the FirmwareSchema'],
    ['ChangeDetected', 'they differ from what the machine has'],
  ],
  HostFirmwareComponents: [
    ['Valid', 'the updates are for components that the machine has'],
    ['ChangeDetected', 'they differ from what the machine has'],
  ],
  PreprovisioningImage: [
    ['Ready', 'the image can be booted'],
    ['Error', 'it cannot be had'],
  ],
  HostClaim: [
    ['Associated', 'a host is bound to the claim'],
    ['Synchronized', 'the host has what the claim says'],
    ['AvailableForProvisioning', 'as the host says'],
    ['Provisioned', 'as the host says'],
    ['Ready', 'all of these'],
  ],
  BareMetalSwitch: [['Valid', 'its login is there, and it is in the configuration of the switches']],
};

interface Property {
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
  readonly items?: Property;
  readonly additionalProperties?: Property | boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string }[];
}

/** Files of a folder: an index, and a page a kind. @throws {Error} a kind has no example */
export function kindPages({ contracts, examples }: KindPagesInput): ReadonlyMap<string, string> {
  const pages = contracts.map((contract): [string, string] => {
    const example = examples.get(contract.kind);
    if (example === undefined)
      throw new Error(`${contract.kind} has no example: add an object to deploy/kinds/examples.yaml`);
    return [fileOf(contract), page(contract, example)];
  });
  return new Map([['README.md', index(contracts)], ...pages]);
}

function fileOf({ kind }: Pick<Contract, 'kind'>): string {
  return `${kind.toLowerCase()}.md`;
}

const HEADER = '<!-- Generated from the contract of the kind by `npm run generate`; changes made here are lost. -->\n';

function index(contracts: readonly Contract[]): string {
  const groups = [...Map.groupBy(contracts, ({ group }) => group)].map(([group, kinds]) => {
    const rows = kinds.map((contract) => {
      const { kind, shortNames = [] } = contract;
      return `| [${kind}](${fileOf(contract)}) | ${shortNames.map((name) => `\`${name}\``).join(', ')} | ${cell(firstSentence(descriptionOf(contract)))} |`;
    });
    return `## ${group}\n\n${kinds.length} kinds.\n\n| kind | short names | |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return `${HEADER}# Kinds\n\nFields, references, conditions and an example of each kind. What objects have in common is in [concepts](../concepts.md).\n\n${groups.join('\n')}`;
}

function page(contract: Contract, example: string): string {
  const { group, kind, plural, shortNames = [] } = contract;
  const { spec } = crd(contract) as unknown as Definition;
  const served = spec.versions.filter((version) => version.served);
  const version = served.find(({ name }) => name === contract.version) ?? served[0];
  if (version === undefined) throw new Error(`${kind} has no version that is served`);
  const { properties = {} } = version.schema.openAPIV3Schema;
  const names = [plural, ...shortNames].map((name) => `\`${name}\``).join(', ');
  const references = isWritten(contract) ? referencesOf(contract.spec, 'spec') : [];
  const conditions = hasConditions(properties['status']) ? (CONDITIONS[kind] ?? CONDITIONS[group] ?? []) : [];
  const columns = version.additionalPrinterColumns ?? [];
  const parts = [
    `# ${kind}`,
    descriptionOf(contract),
    `\`apiVersion: ${group}/${version.name}\`; \`kubectl get\` knows it as ${names}.${spec.scope === 'Cluster' ? ' Its objects are in no namespace.' : ''}`,
    `## Example\n\n\`\`\`yaml\n${example.trim()}\n\`\`\``,
    `## Spec\n\n${fields(properties['spec'], 'spec')}`,
    ...(references.length === 0
      ? []
      : [`## References\n\n| field | refers to | |\n| --- | --- | --- |\n${references.map(referenceRow).join('\n')}`]),
    ...(properties['status'] === undefined ? [] : [`## Status\n\n${fields(properties['status'], 'status')}`]),
    ...(conditions.length === 0
      ? []
      : [
          `## Conditions\n\n| type | meaning |\n| --- | --- |\n${conditions.map(([type, meaning]) => `| \`${type}\` | ${meaning} |`).join('\n')}`,
        ]),
    ...(columns.length === 0
      ? []
      : [
          `## Columns of \`kubectl get\`\n\n| column | from |\n| --- | --- |\n${columns.map(({ name, jsonPath }) => `| ${name} | \`${cell(jsonPath)}\` |`).join('\n')}`,
        ]),
  ];
  return `${HEADER}${parts.join('\n\n')}\n`;
}

interface Definition {
  readonly spec: {
    readonly scope?: string;
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly schema: { readonly openAPIV3Schema: Property };
      readonly additionalPrinterColumns?: readonly { readonly name: string; readonly jsonPath: string }[];
    }[];
  };
}

function descriptionOf(contract: Contract): string {
  if (isWritten(contract)) return contract.description;
  const { spec } = crd(contract) as unknown as Definition;
  return spec.versions[0]?.schema.openAPIV3Schema.description ?? contract.kind;
}

function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text;
}

function hasConditions(status: Property | undefined): boolean {
  return status?.properties?.['conditions'] !== undefined;
}

/** Every field below one, in the order of the schema. Conditions have a table of their own. */
function fields(schema: Property | undefined, root: string): string {
  const rows =
    schema === undefined ? [] : rowsOf(schema, root).filter(([name]) => !name.startsWith('status.conditions['));
  if (rows.length === 0) return 'There are no fields.';
  return `| field | type | |\n| --- | --- | --- |\n${rows.map(([name, type, text]) => `| \`${name}\` | ${type} | ${text} |`).join('\n')}`;
}

function rowsOf(schema: Property, path: string): readonly (readonly [string, string, string])[] {
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const at = `${path}.${name}`;
    const isRequired = schema.required?.includes(name) === true;
    return [[at, typeOf(property), notesOf(property, isRequired)] as const, ...rowsOf(property, at)];
  });
  const items = schema.items?.properties === undefined ? [] : rowsOf(schema.items, `${path}[]`);
  const values =
    typeof schema.additionalProperties === 'object' ? rowsOf(schema.additionalProperties, `${path}.*`) : [];
  return [...below, ...items, ...values];
}

function typeOf({ type, format, items, additionalProperties, 'x-kubernetes-int-or-string': either }: Property): string {
  if (either === true) return 'integer or string';
  if (type === 'array') return `list of ${items === undefined ? 'values' : typeOf(items)}`;
  if (type === 'object' && typeof additionalProperties === 'object') return `map of ${typeOf(additionalProperties)}`;
  return format === undefined ? (type ?? 'any') : `${type} (${format})`;
}

function notesOf(property: Property, isRequired: boolean): string {
  const values = property.enum ?? property.items?.enum;
  const isImmutable = property['x-kubernetes-validations']?.some(({ rule }) => rule === 'self == oldSelf') === true;
  return [
    ...(isRequired ? ['**required**'] : []),
    ...(isImmutable ? ['immutable'] : []),
    ...(property.default === undefined ? [] : [`default \`${cell(JSON.stringify(property.default))}\``]),
    ...(values === undefined ? [] : [`one of ${values.map((value) => `\`${cell(String(value))}\``).join(', ')}`]),
    ...(property.description === undefined ? [] : [cell(property.description)]),
  ].join('; ');
}

interface FieldReference {
  readonly field: string;
  readonly kind: string;
  readonly guarded: boolean;
  readonly isForUpdate: boolean;
}

function referencesOf(schema: Schema, path: string): readonly FieldReference[] {
  const { reference, properties = {}, items, values } = schema;
  const own: readonly FieldReference[] =
    reference === undefined
      ? []
      : [
          {
            field: path,
            kind: reference.kind,
            guarded: reference.guarded,
            isForUpdate: reference.neededFor === 'update',
          },
        ];
  return [
    ...own,
    ...Object.entries(properties).flatMap(([name, property]) => referencesOf(property, `${path}.${name}`)),
    ...(items === undefined ? [] : referencesOf(items, `${path}[]`)),
    ...(values === undefined ? [] : referencesOf(values, `${path}.*`)),
  ];
}

function referenceRow({ field, kind, guarded, isForUpdate }: FieldReference): string {
  const notes = [
    isForUpdate ? 'needed after the resource was made' : 'waited for before the resource is made',
    guarded ? 'cannot go while this object exists' : 'may go at any time',
  ];
  return `| \`${field}\` | ${kind} | ${notes.join('; ')} |`;
}

/** Text in a table. */
function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').trim();
}

/** The first object of each kind in these documents, as they are written. */
export function examplesIn(
  documents: readonly { readonly text: string; readonly object: JsonObject }[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { text, object } of documents) {
    const kind = String(object['kind']);
    if (!found.has(kind)) found.set(kind, text);
  }
  return found;
}
