// What a module exports, one line a name: the text of each declaration, without comments, bodies and initializers.
import { readFile } from 'node:fs/promises';
import { dirname, posix } from 'node:path';
import { parse } from '@babel/parser';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [name: string]: unknown;
}

/** @param files  from the root of the checkout; whose `export`s are followed into the files of the tree */
export async function declarationsOf(files: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const file of files) {
    for (const { name, from } of await exportsOf(file)) lines.push(`${file}: ${await declarationOf(name, from)}`);
  }
  return `${lines.sort().join('\n')}\n`;
}

export interface Export {
  readonly name: string;
  /** File of the declaration, or the package that it is of. */
  readonly from: string;
}

/** An exported declaration with its documentation. */
export interface Documented extends Export {
  /** Doc comment; empty if there is none. */
  readonly comment: string;
  /** Members of an interface or a type of an object, each with its doc comment. */
  readonly members: readonly { readonly name: string; readonly comment: string }[];
}

/** @param file  from the root of the checkout @returns its exports that are declared in the tree */
export async function documentedIn(file: string): Promise<readonly Documented[]> {
  const found: Documented[] = [];
  for (const { name, from } of await exportsOf(file)) {
    const origin = await originOf(name, from);
    if (!origin.endsWith('.ts')) continue;
    const { body } = await parsed(origin);
    const nodes = body.filter((node) => {
      const declaration = node['declaration'] as Node | null | undefined;
      return declaration && namesOf(declaration).includes(name);
    });
    const comments = nodes.map(commentOf).join('\n').trim();
    found.push({ name, from: origin, comment: comments, members: nodes.flatMap(membersOf) });
  }
  return found;
}

/** File that declares an export, through files that only pass it on. */
async function originOf(name: string, from: string): Promise<string> {
  if (!from.endsWith('.ts')) return from;
  const nested = (await exportsOf(from)).find((each) => each.name === name);
  return nested === undefined ? from : originOf(name, nested.from);
}

function commentOf(node: Node): string {
  const all = (node['leadingComments'] ?? []) as readonly { readonly type: string; readonly value: string }[];
  const last = all.at(-1);
  return last?.type === 'CommentBlock' && last.value.startsWith('*') ? last.value.slice(1).trim() : '';
}

function membersOf(node: Node): Documented['members'] {
  const declaration = node['declaration'] as Node;
  const body =
    declaration.type === 'TSInterfaceDeclaration'
      ? ((declaration['body'] as Node)['body'] as readonly Node[])
      : (((declaration['typeAnnotation'] as Node | undefined)?.['members'] ?? []) as readonly Node[]);
  return body.flatMap((member) => {
    const { name } = (member['key'] ?? {}) as { readonly name?: string };
    return name === undefined || member['computed'] === true ? [] : [{ name, comment: commentOf(member) }];
  });
}

async function parsed(file: string): Promise<{ readonly text: string; readonly body: readonly Node[] }> {
  const text = await readFile(file, 'utf8');
  const { program } = parse(text, { sourceType: 'module', plugins: ['typescript'] });
  return { text, body: program.body as unknown as readonly Node[] };
}

async function exportsOf(file: string): Promise<readonly Export[]> {
  const { body } = await parsed(file);
  return body.flatMap((node) => {
    const source = (node['source'] as { readonly value: string } | null | undefined)?.value;
    if (node.type !== 'ExportNamedDeclaration' || source === undefined) return [];
    const specifiers = node['specifiers'] as readonly { readonly exported: { readonly name: string } }[];
    const from = source.startsWith('.') ? posix.join(dirname(file), source) : source;
    return specifiers.map(({ exported }) => ({ name: exported.name, from }));
  });
}

async function declarationOf(name: string, from: string): Promise<string> {
  if (!from.endsWith('.ts')) return `${name} of ${from}`;
  const { text, body } = await parsed(from);
  const nested = (await exportsOf(from)).find((each) => each.name === name);
  if (nested !== undefined) return declarationOf(name, nested.from);
  const found: string[] = [];
  for (const node of body) {
    const declaration = node['declaration'] as Node | null | undefined;
    if (node.type === 'ExportNamedDeclaration' && declaration && namesOf(declaration).includes(name))
      found.push(shape(declaration, text));
  }
  return found.join(' ') || `${name} of ${from}`;
}

function namesOf(node: Node): readonly string[] {
  const id = node['id'] as { readonly name?: string } | null | undefined;
  if (id?.name !== undefined) return [id.name];
  const all = (node['declarations'] ?? []) as readonly { readonly id: { readonly name: string } }[];
  return all.map((each) => each.id.name);
}

/** Its text without what is no promise: comments, and bodies of functions and methods. */
function shape(node: Node, text: string): string {
  const cut: { readonly start: number; readonly end: number }[] = [];
  const look = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) look(each);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return;
    const each = value as Node;
    if (each.type === 'BlockStatement') return void cut.push(each);
    for (const [name, member] of Object.entries(each)) {
      if (name === 'leadingComments' || name === 'innerComments') {
        for (const comment of (member ?? []) as readonly Node[]) cut.push(comment);
      } else if (name !== 'loc' && name !== 'trailingComments') look(member);
    }
  };
  look(node);
  let result = '';
  let at = node.start;
  for (const { start, end } of cut.toSorted((one, other) => one.start - other.start)) {
    if (start < at) continue;
    result += text.slice(at, start);
    at = end;
  }
  return (result + text.slice(at, node.end)).replaceAll(/\s+/g, ' ').trim();
}
