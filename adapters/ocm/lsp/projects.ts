// The models in an editor's folders, each with what the editor holds and with what is on the disk.
//
// Invariants:
//   OCM-PROJECTS-1. A file that is open in the editor is what the editor says, whatever the disk says.
//   OCM-PROJECTS-2. Every other file is what the disk says, and follows it.
import { type Dirent, readdirSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Clock } from '../../../bus/time.ts';
import { bytesOf, readModel, type Skipped, Workspace, watchModel } from '../model/mod.ts';

/** A workspace that prefers what is open. */
export class EditedWorkspace extends Workspace {
  readonly #open = new Set<string>();

  /** Content on disk. */
  override set(file: string, source: string | Uint8Array): void {
    if (!this.#open.has(file)) super.set(file, source);
  }

  override remove(file: string): void {
    if (!this.#open.has(file)) super.remove(file);
  }

  /** Content in the editor. */
  edit(file: string, text: string): void {
    this.#open.add(file);
    super.set(file, text);
  }

  /** The editor lets go of a file. */
  close(file: string): void {
    this.#open.delete(file);
    const bytes = bytesOf(file);
    if (bytes === undefined) this.remove(file);
    else this.set(file, bytes);
  }
}

export interface ProjectsDeps {
  /** Roots of one model; without any, the models are looked for in the folders. */
  readonly roots: readonly string[];
  /** Folders that are open in the editor. */
  readonly folders: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** A file changed on the disk. */
  readonly onChange: (workspace: EditedWorkspace) => void;
  readonly onSkipped: (skipped: Skipped) => void;
  /** Something could not be read or watched: all else works, and a model stays as it was last read. */
  readonly onError: (error: unknown) => void;
}

interface Project {
  readonly roots: readonly string[];
  readonly workspace: EditedWorkspace;
}

export class Projects {
  readonly #deps: ProjectsDeps;
  readonly #projects: Project[] = [];

  constructor(deps: ProjectsDeps) {
    this.#deps = deps;
    const { roots, folders } = deps;
    if (roots.length > 0) this.#add(roots.map((root) => resolve(root)));
    else for (const root of new Set(folders.flatMap((folder) => rootsIn(folder, deps.onError)))) this.#add([root]);
  }

  workspaces(): EditedWorkspace[] {
    return this.#projects.map(({ workspace }) => workspace);
  }

  /** The model a file belongs to: one that is known, or a new one in the folders. Undefined for a file that stands alone. */
  of(file: string): EditedWorkspace | undefined {
    const root = dirname(dirname(dirname(file)));
    const known = this.#projects.find(({ roots }) => roots.includes(root));
    if (known !== undefined) return known.workspace;
    const { roots, folders } = this.#deps;
    const isInside = folders.some((folder) => root === folder || root.startsWith(folder + sep));
    return roots.length === 0 && isInside ? this.#add([root]) : undefined;
  }

  #add(roots: readonly string[]): EditedWorkspace {
    const workspace = new EditedWorkspace({ roots: roots.length });
    this.#projects.push({ roots, workspace });
    const { clock, signal, onChange, onError, onSkipped } = this.#deps;
    const follow = async (): Promise<void> => {
      // Watched first: what changes while it is read is not missed.
      const changes = watchModel({ workspace, roots, clock, signal });
      for (const skipped of readModel(workspace, roots).skipped) onSkipped(skipped);
      for await (const _ of changes) onChange(workspace);
    };
    follow().catch(onError);
    return workspace;
  }
}

/** Everything above `<service>/<version>/<file>.model`, but for files further down in a version, which are no part of it. */
function rootsIn(folder: string, onError: ProjectsDeps['onError']): string[] {
  const versions = new Set(directoriesWithModels(folder, onError));
  const isNested = (directory: string): boolean => {
    for (let above = dirname(directory); above.length >= folder.length; above = dirname(above)) {
      if (versions.has(above)) return true;
      if (above === dirname(above)) break;
    }
    return false;
  };
  return [...versions].filter((version) => !isNested(version)).map((version) => dirname(dirname(version)));
}

function directoriesWithModels(directory: string, onError: ProjectsDeps['onError']): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    onError(error);
    return [];
  }
  const below = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .flatMap(({ name }) => directoriesWithModels(join(directory, name), onError));
  const hasModels = entries.some(
    (entry) => !entry.isDirectory() && entry.name.endsWith('.model') && !entry.name.startsWith('.'),
  );
  return hasModels ? [directory, ...below] : below;
}
