// Paths of the pages: all distinct, and each reachable from any other.
import type { DeclaredType, Item, Model, Resource, Type, Version } from '../model/mod.ts';
import { summaryOf } from '../model/mod.ts';
import { link } from './markdown.ts';

/** Paths of all pages, from the output folder on. */
export class Site {
  readonly #files = new Map<Resource | DeclaredType, string>();
  readonly #urls = new Map<Resource, string[]>();

  constructor({ services }: Model) {
    for (const version of services.flatMap(({ versions }) => versions)) {
      const taken = new Set<string>();
      // Two names may be one in lower case, as `AWSShard` and `AwsShard` are.
      const place = (item: Resource | DeclaredType, kind: string): void => {
        const base = `${directoryOf(version)}/${item.name.snake}`;
        let file = `${base}_${kind}.md`;
        for (let n = 2; taken.has(file); n++) file = `${base}_${n}_${kind}.md`;
        taken.add(file);
        this.#files.set(item, file);
      };
      for (const resource of version.resources) place(resource, 'resource');
      for (const type of version.types) place(type, 'type');
      if (version.root !== undefined) this.#visit(version.root, version.url);
    }
  }

  file(item: Resource | DeclaredType): string {
    const file = this.#files.get(item);
    if (file === undefined) throw new Error(`'${item.name.camel}' is not of this model`);
    return file;
  }

  /** All URLs of a resource, in order; none for one that no locator leads to. */
  urls(resource: Resource): readonly string[] {
    return [...new Set(this.#urls.get(resource))].sort();
  }

  /** @param from  path of the page that has the link */
  link(item: Resource | DeclaredType, from: string, heading = ''): string {
    return link(item.name.camel, relativeTo(from, this.file(item)) + heading);
  }

  type(type: Type, from: string): string {
    switch (type.kind) {
      case 'class':
      case 'struct':
      case 'enum':
        return this.link(type, from);
      case 'list':
        return `list of ${this.type(type.element, from)}`;
      case 'map':
        return `map of ${this.type(type.key, from)} to ${this.type(type.element, from)}`;
      default:
        return type.name.camel;
    }
  }

  #visit(resource: Resource, url: string): void {
    const urls = this.#urls.get(resource);
    if (urls === undefined) this.#urls.set(resource, [url]);
    else urls.push(url);
    for (const { segment, variable, target } of resource.locators) {
      this.#visit(target, `${url}/${variable ? `{${segment}_id}` : segment}`);
    }
  }
}

export function directoryOf({ service, name }: Version): string {
  return `${service.name.snake}/${name.snake}`;
}

export function relativeTo(from: string, to: string): string {
  const here = from.split('/').slice(0, -1);
  const there = to.split('/');
  let common = 0;
  while (common < here.length && here[common] === there[common]) common++;
  return [...here.slice(common).map(() => '..'), ...there.slice(common)].join('/');
}

/** Summary of an item as a table shows it. */
export function brief(item: Pick<Item, 'documentation' | 'deprecated'>): string {
  return [item.deprecated ? '**Deprecated.**' : '', summaryOf(item)].filter((part) => part !== '').join(' ');
}

/** Whole documentations of items whose summaries are in a table: of those that say more than that. */
export function details(items: readonly Item[]): string[] {
  const more = items.filter((item) => item.documentation.trim() !== summaryOf(item).trim());
  return more.flatMap((item) => [`**${item.name.camel}**`, '', ...long(item)]);
}

/** The whole documentation of an item. */
export function long({ documentation, deprecated }: Pick<Item, 'documentation' | 'deprecated'>): string[] {
  return [...(deprecated ? ['**Deprecated.**', ''] : []), ...(documentation === '' ? [] : [documentation, ''])];
}
