// Workspace of model files. Only a changed file is parsed; its version is linked again, as are those that copy types
// from others, and everything else is kept.
import { checkDeclarations } from './check-declarations.ts';
import { checkTree } from './check-tree.ts';
import { declare } from './declarations.ts';
import type { Diagnostic } from './diagnostics.ts';
import { wholeText } from './encoding.ts';
import type { Model, Service, Version } from './model.ts';
import { compareNames, directoryName, type Name, nameTable } from './names.ts';
import { parse } from './parser.ts';
import { followReferences } from './references.ts';
import { errorsOf, resourcesOf } from './resources.ts';
import { Scope } from './scope.ts';
import type { FileSyntax } from './syntax.ts';
import { type DeclaredTypes, declareTypes, fillTypes, type Mutable, type ResolveType, typeResolver } from './types.ts';

/** The directory of one version, and what was last made of its files. */
interface VersionState {
  readonly service: Name;
  readonly name: Name;
  readonly directory: string;
  /** Files by path. */
  readonly files: Map<string, FileSyntax>;
  /** Undefined when something changed since. */
  built: Built | undefined;
}

interface Built {
  readonly scope: Scope;
  readonly version: Version;
  diagnostics: readonly Diagnostic[];
}

interface Parts {
  readonly directory: string;
  readonly service: string;
  readonly version: string;
}

/** The files of a model, held in memory under the paths `<root>/<service>/<version>/<file>.model`. */
export class Workspace {
  readonly #roots: number;
  readonly #states = new Map<string, VersionState>();
  readonly #services = new Map<string, Mutable<Service>>();
  readonly #types: DeclaredTypes = new WeakMap();
  readonly #nameOf = nameTable();
  #isCurrent = false;

  /** @param options.roots  how many model roots the files come from; with more than one there is no `@ref` */
  constructor({ roots = 1 }: { roots?: number } = {}) {
    this.#roots = roots;
  }

  /** Name that an identifier would have. */
  nameOf(identifier: string): Name {
    return this.#nameOf(identifier);
  }

  /** Makes a version known, even without files. */
  addVersion(directory: string): void {
    this.#state(partsOf(`${directory}/`));
  }

  hasVersion(directory: string): boolean {
    const { service, version } = partsOf(`${directory}/`);
    return this.#states.has(stateKey(directoryName(service), directoryName(version)));
  }

  /** Forgets all other versions and files. */
  retain(directories: ReadonlySet<string>, files: ReadonlySet<string>): void {
    for (const [key, state] of this.#states) {
      for (const file of state.files.keys()) if (!files.has(file)) this.remove(file);
      if (directories.has(state.directory) || state.files.size > 0) continue;
      this.#states.delete(key);
      this.#isCurrent = false;
    }
  }

  /** Adds a file, or gives it another text. */
  set(file: string, source: string | Uint8Array): void {
    const state = this.#state(partsOf(file));
    const known = state.files.get(file);
    const text = wholeText(source);
    if (known !== undefined && known.text === text && isWhole(known)) return;
    state.files.set(file, parse(file, text ?? source, this.#nameOf));
    state.built = undefined;
    this.#isCurrent = false;
  }

  remove(file: string): void {
    const state = this.#state(partsOf(file));
    if (!state.files.delete(file)) return;
    state.built = undefined;
    this.#isCurrent = false;
  }

  /** All paths, in no order. */
  files(): string[] {
    return [...this.#states.values()].flatMap(({ files }) => [...files.keys()]);
  }

  /** Syntax tree of a file's last content. */
  syntax(file: string): FileSyntax | undefined {
    return this.#state(partsOf(file)).files.get(file);
  }

  /** The names of the version that a file belongs to. */
  scope(file: string): Scope | undefined {
    this.#bringUpToDate();
    return this.#state(partsOf(file)).built?.scope;
  }

  /** All complaints, in the order of services, versions, files and lines. */
  diagnostics(): Diagnostic[] {
    this.#bringUpToDate();
    return this.#inOrder().flatMap(({ built }) => built?.diagnostics ?? []);
  }

  /** Model of the files. It is valid until the next change. */
  model(): Model {
    this.#bringUpToDate();
    return { services: [...this.#services.values()].sort((a, b) => compareNames(a.name, b.name)) };
  }

  #state({ directory, service, version }: Parts): VersionState {
    const key = stateKey(directoryName(service), directoryName(version));
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state: VersionState = {
      service: directoryName(service),
      name: directoryName(version),
      directory,
      files: new Map(),
      built: undefined,
    };
    this.#states.set(key, state);
    this.#isCurrent = false;
    return state;
  }

  #bringUpToDate(): void {
    if (this.#isCurrent) return;
    const states = this.#inOrder();
    // Versions that copy types of others hold parts of them.
    const stale = states.filter(({ built }) => built === undefined || built.scope.heirs.size > 0);
    const scopes = new Map(states.map((state) => [state, stale.includes(state) ? this.#scope(state) : undefined]));
    followReferences(
      states.flatMap((state) => scopes.get(state) ?? state.built?.scope ?? []),
      this.#roots,
    );
    const fresh = stale.flatMap((state) => {
      const scope = scopes.get(state);
      return scope === undefined ? [] : [{ state, scope, ...this.#begin(state, scope) }];
    });
    for (const { state, scope, version, resolve } of fresh) {
      fillTypes(scope, this.#types, resolve);
      version.resources = resourcesOf(scope, version, resolve);
      version.errors = errorsOf(scope, version);
      version.root = version.resources.find(({ name }) => name.key === 'root');
      checkDeclarations(scope);
      checkTree(version, scope);
      state.built = { scope, version, diagnostics: inOrderOfFiles(scope) };
    }
    this.#gather(states);
    this.#isCurrent = true;
  }

  #scope({ service, name, directory, files }: VersionState): Scope {
    const inOrder = [...files.values()].sort((a, b) => compareFiles(a.file, b.file));
    const scope = new Scope({ service, name, directory, files: inOrder });
    declare(scope);
    return scope;
  }

  /** A version with its types, which are still empty. */
  #begin(
    { name, directory, service }: VersionState,
    scope: Scope,
  ): { version: Mutable<Version>; resolve: ResolveType } {
    const version: Mutable<Version> = {
      service: this.#service(service),
      name,
      url: `/api/${service.snake}/${name.snake}`,
      directory,
      types: [],
      resources: [],
      errors: [],
      root: undefined,
    };
    version.types = declareTypes(scope, version, this.#types);
    return { version, resolve: typeResolver(scope, this.#types) };
  }

  #service(name: Name): Mutable<Service> {
    const known = this.#services.get(name.key);
    if (known !== undefined) return known;
    const service: Mutable<Service> = { name, versions: [] };
    this.#services.set(name.key, service);
    return service;
  }

  #gather(states: readonly VersionState[]): void {
    for (const [key, service] of this.#services) {
      service.versions = states.flatMap((state) => (state.service.key === key ? (state.built?.version ?? []) : []));
      if (service.versions.length === 0) this.#services.delete(key);
    }
  }

  #inOrder(): VersionState[] {
    return [...this.#states.values()].sort(
      (a, b) => compareNames(a.service, b.service) || compareNames(a.name, b.name),
    );
  }
}

/** The text is all that the file says. */
function isWhole({ diagnostics }: FileSyntax): boolean {
  return diagnostics[0]?.code !== 'lex.encoding';
}

/** The complaints about the version as a whole first, then file by file. */
function inOrderOfFiles({ diagnostics, files }: Scope): Diagnostic[] {
  const order = new Map(files.map(({ file }, index) => [file, index]));
  const position = ({ place }: Diagnostic): number => order.get(place.file) ?? -1;
  return [...files.flatMap((file) => file.diagnostics), ...diagnostics].sort(
    (a, b) => position(a) - position(b) || a.place.offset - b.place.offset,
  );
}

/** Sorted by name, then by directory: several roots may have files of one version. */
function compareFiles(left: string, right: string): number {
  const [a, b] = [left.slice(lastSeparator(left) + 1), right.slice(lastSeparator(right) + 1)];
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) || (left < right ? -1 : 1);
}

function partsOf(file: string): Parts {
  const directory = file.slice(0, Math.max(0, lastSeparator(file)));
  const above = directory.slice(0, Math.max(0, lastSeparator(directory)));
  return {
    directory,
    version: directory.slice(lastSeparator(directory) + 1),
    service: above.slice(lastSeparator(above) + 1),
  };
}

function lastSeparator(path: string): number {
  return Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
}

function stateKey(service: Name, version: Name): string {
  return `${service.key}/${version.key}`;
}
