// A model made up of chance, with the shapes of a real one: many small files, most lines license and documentation, one
// service far larger than the others.
import type { Clock } from '../../../bus/time.ts';

export interface Size {
  readonly files: number;
  readonly lines: number;
  readonly services: number;
}

/** Of the model that the reference tool's figures are known for. */
export const REAL_SIZE: Size = { files: 958, lines: 35_700, services: 12 };

const LICENCE = [
  '/*',
  'This file is made up; it belongs to nobody.',
  '',
  ...Array.from({ length: 9 }, () => 'What stands here is as long as a license, and read by as many.'),
  '*/',
  '',
];
const FIRST = ['Cluster', 'Node', 'AWS', 'Machine', 'Access', 'Version', 'Addon', 'Network', 'Quota', 'Upgrade', 'GCP'];
const SECOND = ['Pool', 'Group', 'Request', 'Policy', 'Key', 'Spec', 'Status', 'Role', 'DNS', 'Limit', 'State', 'Set'];
const THIRD = ['', 'Item', 'Detail', 'Summary', 'Config', 'Rule', 'URL', 'Check', 'Plan'];
const SCALARS = ['String', 'String', 'String', 'Integer', 'Boolean', 'Date', 'Long', 'Float', 'Interface'];
const WORDS = 'the a of cluster node that is used when it will be created by user and version `ready` optional'.split(
  ' ',
);

/** Files by path, from the services down. Without errors; the same for the same random source. */
export function synthesize(random: Clock['random'], { files, lines, services }: Size): Map<string, string> {
  const model = new Map<string, string>();
  for (let service = 0; service < services; service++) {
    // Half of all files are in the first service.
    const share = service === 0 ? 0.5 : 0.5 / (services - 1);
    const left = files - model.size;
    const count = service === services - 1 ? left : Math.min(left, Math.max(6, Math.round(files * share)));
    addVersion(model, `service_${service}/v1`, count, { random, linesAFile: lines / files });
  }
  return filled(model, lines, random);
}

interface Making {
  readonly random: Clock['random'];
  readonly linesAFile: number;
}

function addVersion(model: Map<string, string>, directory: string, files: number, making: Making): void {
  const { random } = making;
  const resources = Math.max(1, Math.floor((files - 1) / 5));
  const types = files - 1 - 2 * resources;
  const names = Array.from({ length: Math.max(types, resources) }, (_, index) => nameAt(index));
  const kinds = names.map((_, index) =>
    index < resources ? 'class' : pick(['class', 'struct', 'struct', 'enum'], random),
  );
  const add = (file: string, body: readonly string[]): void => {
    model.set(`${directory}/${file}.model`, [...LICENCE, ...body, ''].join('\n'));
  };
  add('root_resource', [
    '// Root of the tree.',
    'resource Root {',
    ...names.slice(0, resources).flatMap((name) => ['', `\tlocator ${name}s {`, `\t\ttarget ${name}s`, '\t}']),
    '}',
  ]);
  for (let index = 0; index < resources; index++) {
    const name = names[index] ?? '';
    add(`${snake(name)}s_resource`, collection(name, random));
    add(`${snake(name)}_resource`, item(name, random));
  }
  for (let index = 0; index < types; index++) {
    const name = names[index] ?? '';
    const kind = kinds[index];
    add(
      `${snake(name)}_type`,
      kind === 'enum' ? enumeration(name, random) : structure(kind ?? 'class', name, names, making),
    );
  }
}

/** Documentation is added until there are exactly as many lines as asked for. */
function filled(model: ReadonlyMap<string, string>, lines: number, random: Clock['random']): Map<string, string> {
  const texts = [...model].map(([file, text]) => ({ file, lines: text.split('\n') }));
  let missing = lines - texts.reduce((sum, text) => sum + text.lines.length - 1, 0);
  for (let index = 0; missing > 0; index = (index + 1) % texts.length, missing--) {
    texts[index]?.lines.splice(LICENCE.length, 0, `// ${sentence(random)}`);
  }
  return new Map(texts.map((text) => [text.file, text.lines.join('\n')]));
}

function collection(name: string, random: Clock['random']): string[] {
  return [
    `// Manages the collection of ${name}.`,
    `resource ${name}s {`,
    `\t// ${sentence(random)}`,
    '\tmethod List {',
    ...parameters(
      ['in out Page Integer = 1', 'in out Size Integer = 100', 'out Total Integer', `out Items []${name}`],
      random,
    ),
    ...(random() < 0.5
      ? parameters(['in Search String', '@http(name = "fetchAll")\n\t\tin FetchAll Boolean'], random)
      : []),
    '\t}',
    '',
    '\tmethod Add {',
    ...parameters([`in out Body ${name}`], random),
    '\t}',
    '',
    `\tlocator ${name} {`,
    `\t\ttarget ${name}`,
    '\t\tvariable ID',
    '\t}',
    '}',
  ];
}

function item(name: string, random: Clock['random']): string[] {
  const action = ['', '\tmethod TakeAway {', ...parameters(['in Reason String', `out Result ${name}`], random), '\t}'];
  return [
    `// Manages one ${name}.`,
    `resource ${name} {`,
    '\tmethod Get {',
    ...parameters([`out Body ${name}`], random),
    '\t}',
    '',
    '\tmethod Update {',
    ...parameters([`in out Body ${name}`], random),
    '\t}',
    '',
    '\tmethod Delete {',
    '\t}',
    ...(random() < 0.3 ? action : []),
    '}',
  ];
}

function structure(kind: string, name: string, names: readonly string[], { random, linesAFile }: Making): string[] {
  const count = Math.max(1, Math.round((linesAFile - LICENCE.length - 4) / 4 + 6 * random() - 3));
  const attributes = Array.from({ length: count }, (_, index) => {
    const chance = random();
    const type = chance < 0.6 ? pick(SCALARS, random) : pick(names, random);
    const list = chance > 0.8 ? '[]' : chance > 0.76 ? '[String]' : '';
    const link = chance > 0.9 ? 'link ' : '';
    const mark = random() < 0.04 ? [`\t@json(name = "other_${index}")`] : [];
    return [`\t// ${sentence(random)}`, ...mark, `\t${link}${nameAt(index + 40)} ${list}${type}`, ''];
  });
  return [`// ${sentence(random)}`, `${kind} ${name} {`, ...attributes.flat(), '}'];
}

function enumeration(name: string, random: Clock['random']): string[] {
  const values = Array.from({ length: 2 + Math.floor(6 * random()) }, (_, index) => [
    `\t// ${sentence(random)}`,
    ...(random() < 0.4 ? [`\t@json(name = "text ${index}")`] : []),
    `\t${nameAt(index + 7)}`,
  ]);
  return [`// ${sentence(random)}`, `enum ${name} {`, ...values.flat(), '}'];
}

function parameters(lines: readonly string[], random: Clock['random']): string[] {
  return lines.flatMap((line) => [`\t\t// ${sentence(random)}`, `\t\t${line}`, '']);
}

/** Names differ in their words, so that none of them is another's list, or like another on the wire. */
function nameAt(index: number): string {
  const [first, second, third] = [FIRST.length, SECOND.length, THIRD.length];
  const round = Math.floor(index / (first * second * third));
  const suffix = round === 0 ? '' : `Of${String.fromCharCode(64 + round)}x`;
  return `${FIRST[index % first]}${SECOND[Math.floor(index / first) % second]}${THIRD[Math.floor(index / (first * second)) % third]}${suffix}`;
}

function sentence(random: Clock['random']): string {
  const length = 5 + Math.floor(12 * random());
  return `${Array.from({ length }, () => pick(WORDS, random)).join(' ')}.`;
}

function snake(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
}

function pick<T>(list: readonly T[], random: Clock['random']): T {
  return list[Math.floor(random() * list.length)] as T;
}
