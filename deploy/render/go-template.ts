// Manifests with actions of Go's templates in them. An action is a value in the tree of a manifest, put at a path; the
// tree is written as YAML with a mark where each action is, and then the lines of the marks are written out, so that
// indentation, quotes and lists are the YAML library's work.
//
// All expressions begin at `$`, the root: they mean the same within `range` and `with`.
import { stringify } from 'yaml';
import type { Manifest } from './kustomize.ts';

/** What stands in the place of a value. */
export type Action =
  /** A scalar: `key: {{ expression }}`. */
  | { readonly is: 'scalar'; readonly expression: string }
  /** A map or a list. */
  | { readonly is: 'value'; readonly expression: string }
  /** A map, list or scalar, and its key, if there is one. */
  | { readonly is: 'optional'; readonly expression: string }
  /** A map that is the same for all; it must not be there already. */
  | { readonly is: 'map'; readonly of: Readonly<Record<string, string>> }
  /** Items of a list, as many as the lines make. */
  | { readonly is: 'items'; readonly lines: readonly string[] };

/** A key, or the item of a list that has the name. */
export type Step = string | { readonly name: string };

/** A manifest of one's own, to put actions into. */
type Tree = null | boolean | number | string | Tree[] | { [key: string]: Tree };

const MARK = /^( *(?:- )*)(?:(\S+): )?troupeAction(\d+)$/;

/** A tree that actions are put into. */
export class Template {
  readonly #tree: Tree;
  readonly #actions: Exclude<Action, { is: 'map' }>[] = [];

  constructor(manifest: Manifest) {
    this.#tree = structuredClone(manifest) as unknown as Tree;
  }

  /** Puts an action at a path whose last step may be new. @returns whether there was a way to it */
  put(path: readonly Step[], action: Action): boolean {
    const parent = this.#at(path.slice(0, -1));
    const last = path.at(-1);
    if (!isMap(parent) || typeof last !== 'string') return false;
    if (action.is === 'map' && parent[last] !== undefined) return false;
    parent[last] = action.is === 'map' ? { ...action.of } : this.#mark(action);
    return true;
  }

  /** Adds items to the list at a path. @returns whether there is one */
  append(path: readonly Step[], lines: readonly string[]): boolean {
    const list = this.#at(path);
    if (!Array.isArray(list)) return false;
    list.push(this.#mark({ is: 'items', lines }));
    return true;
  }

  /**
   * @param words  replaced wherever they stand for themselves in a text, by expressions
   */
  text(words: ReadonlyMap<string, string>): string {
    const marked = mapStrings(this.#tree, (text) => {
      // With a brace, so that a text that begins with it is quoted.
      // mutant: template-braces () -> $0.1
      let marked = text.replaceAll('{{', '{troupeBraces');
      for (const [index, word] of [...words.keys()].entries()) {
        marked = marked.replace(new RegExp(`(?<![\\w-])${word}(?![\\w-])`, 'g'), `troupeWord${index}`);
      }
      return marked;
    });
    const yaml = stringify(marked, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false });
    const expressions = [...words.values()];
    return yaml
      .split('\n')
      .flatMap((line) => this.#written(line))
      .map((line) =>
        line
          // A name that is all of a value might look like a number.
          .replace(/(?<=: |- )troupeWord(\d+)$/, (_, index) => `{{ ${expressions[Number(index)]} | quote }}`)
          .replace(/troupeWord(\d+)/g, (_, index) => `{{ ${expressions[Number(index)]} }}`)
          .replaceAll('{troupeBraces', '{{ "{{" }}'),
      )
      .join('\n');
  }

  #mark(action: Exclude<Action, { is: 'map' }>): string {
    return `troupeAction${this.#actions.push(action) - 1}`;
  }

  #written(line: string): readonly string[] {
    const [, before, key, index] = MARK.exec(line) ?? [];
    const action = this.#actions[Number(index)];
    if (before === undefined || action === undefined) return [line];
    const column = ' '.repeat(before.length);
    const depth = before.length + 2;
    switch (action.is) {
      case 'scalar':
        return [`${before}${key === undefined ? '' : `${key}: `}{{ ${action.expression} }}`];
      case 'value':
        return [`${before}${key}:`, `${column}  {{- toYaml (${action.expression}) | nindent ${depth} }}`];
      case 'optional':
        return [
          `${column}{{- with ${action.expression} }}`,
          `${before}${key}:`,
          `${column}  {{- toYaml . | nindent ${depth} }}`,
          `${column}{{- end }}`,
        ];
      case 'items':
        return action.lines.map((each) => column.slice(2) + each);
    }
  }

  #at(path: readonly Step[]): Tree | undefined {
    let at: Tree | undefined = this.#tree;
    for (const step of path) {
      if (typeof step === 'string') at = isMap(at) ? at[step] : undefined;
      else at = Array.isArray(at) ? at.find((item) => isMap(item) && nameOf(item) === step.name) : undefined;
    }
    return at;
  }
}

/** Of a container, and of an object in a list. */
function nameOf({ name, metadata }: Record<string, Tree>): Tree | undefined {
  return name ?? (isMap(metadata) ? metadata['name'] : undefined);
}

function isMap(value: Tree | undefined): value is Record<string, Tree> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapStrings(value: Tree, map: (text: string) => string): Tree {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [map(key), mapStrings(item, map)]));
}
