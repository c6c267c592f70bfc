// The releases of an API, and since when something in it is marked deprecated.
import { TerminalError } from '../../../bus/errors.ts';
import { allElements, type ProtoFile } from '../protos/mod.ts';
import { parseDay } from './dates.ts';
import { type ApiTree, versionOf } from './tree.ts';

export interface ReleaseEntry {
  /** Such as `1.4.0` or `v1.4.0`. */
  readonly name: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** Location of its API tree, as on the command line. */
  readonly api: string;
}

export interface Release extends ReleaseEntry {
  readonly tree: ApiTree;
}

/** A member of a version; `element` is empty for the version itself. */
export interface Member {
  readonly group: string;
  readonly version: string;
  readonly element: string;
}

/** The first release that had the mark, and had it in all that followed. */
export interface Announcement {
  readonly release: Release;
  /** Counted from 1. */
  readonly number: number;
}

const NAME = /^v?(\d+)\.(\d+)\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** @throws {TerminalError} `text` is no release history */
export function parseHistory(text: string, file: string): readonly ReleaseEntry[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new TerminalError(`'${file}' is not JSON: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
  const entries: unknown =
    content !== null && typeof content === 'object' && 'releases' in content ? content.releases : undefined;
  if (!Array.isArray(entries)) throw new TerminalError(`'${file}' must be {"releases": [...]}`);
  const releases = entries.map((entry: unknown, index) => parseEntry(entry, `'${file}', release ${index + 1}`));
  releases.forEach(({ name, date }, index) => {
    const before = releases[index - 1];
    if (before !== undefined && date < before.date) {
      throw new TerminalError(
        `'${file}': releases stand in the order of publication; '${name}' is older than '${before.name}'`,
      );
    }
    if (releases.findIndex((other) => other.name === name) < index)
      throw new TerminalError(`'${file}': '${name}' is there twice`);
  });
  return releases;
}

function parseEntry(entry: unknown, where: string): ReleaseEntry {
  const { name, date, api } = { name: undefined, date: undefined, api: undefined, ...(entry as object | null) };
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new TerminalError(`${where}: 'name' must be a version such as 1.4.0; got ${JSON.stringify(name)}`);
  }
  if (typeof api !== 'string' || api === '') {
    throw new TerminalError(`${where}: 'api' must say where its API tree is, such as 'v1.4.0:adapters/csi-proxy/api'`);
  }
  try {
    return { name, date: parseDay(String(date)), api };
  } catch (error) {
    throw new TerminalError(`${where}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

export class History {
  /** In the order of publication, patches and pre-releases too. */
  readonly releases: readonly Release[];
  /** Those with a new major or minor number. */
  readonly counted: readonly Release[];

  constructor(releases: readonly Release[]) {
    this.releases = releases;
    const seen = new Set<string>();
    this.counted = releases.filter(({ name }) => {
      const [, major, minor, preRelease] = NAME.exec(name) ?? [];
      const number = `${major}.${minor}`;
      if (preRelease !== undefined || seen.has(number)) return false;
      seen.add(number);
      return true;
    });
  }

  /** The number of the release that is being prepared. */
  get nextNumber(): number {
    return this.counted.length + 1;
  }

  /** undefined: the last release does not have the mark, on the member or on its version. */
  announcementOf(member: Member): Announcement | undefined {
    const marks = [this.#since(member, isMarked), this.#since(member, isVersionMarked)];
    return marks.filter((mark) => mark !== undefined).sort((a, b) => a.number - b.number)[0];
  }

  #since(
    { group, version, element }: Member,
    isDeprecated: (proto: ProtoFile, element: string) => boolean,
  ): Announcement | undefined {
    let since: Announcement | undefined;
    for (const [index, release] of [...this.counted.entries()].reverse()) {
      const proto = versionOf(release.tree, group, version);
      if (proto === undefined || !isDeprecated(proto, element)) break;
      since = { release, number: index + 1 };
    }
    return since;
  }
}

function isVersionMarked(proto: ProtoFile): boolean {
  return proto.package?.deprecated === true;
}

/** Whether the member itself is marked or, if that is a version, the version. */
export function isMarked(proto: ProtoFile, element: string): boolean {
  if (element === '') return isVersionMarked(proto);
  return allElements(proto).some(({ path, deprecated }) => path === element && deprecated);
}
