// What two servers cannot print alike is evened out before it is compared: instants, ages, ids, revisions, addresses,
// random parts of names; the order of writers; the version of the server; the kinds that only the real one serves; and
// the texts that explain built-in kinds, which are the embedded server's own.

export interface Outcome {
  /** Exit code, or the name of the signal that ended the command. */
  readonly code: number | string;
  readonly out: string;
  readonly err: string;
  /** Folder of the run, in which there are paths to be evened out. */
  readonly home: string;
  /** Group of the run's own kinds; a real server may have others'. */
  readonly group: string;
}

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uid>'],
  [/\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| \+0000(?: UTC)?)/g, '<time>'],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} 20\d\d \d\d:\d\d:\d\d \+0000/g, '<time>'],
  [/(resourceVersion"?: ?)"\d+"/g, '$1"<revision>"'],
  [/(Resource Version: +)\d+/g, '$1<revision>'],
  [/("continue": ?)"[^"]+"/g, '$1"<continue>"'],
  [/https?:\/\/(?:127\.0\.0\.1|localhost):\d+/g, '<url>'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/\b(made-)[a-z0-9]{5}\b/g, '$1<random>'],
  [/\b(LIVE|MERGED)-\d+/g, '$1-<number>'],
  // How a watch ended that ran into the end of the command is the client's own race.
  [/^[IWE]\d{4} .* reflector\.go:.*\n/gm, ''],
  [/^([IWE])\d{4} [\d:.]+ +\d+ (\S+?:)\d+\]/gm, '$1<time> $2<line>]'],
  [/kubectl-edit-\w+\.yaml/g, 'kubectl-edit-<random>.yaml'],
  // An age is as wide as it is old, and so is the column around it.
  [/(?<=\s|^)(?:\d+[smhdy]){1,2}(?= *(?:\(| |$)) */gm, '<age> '],
  [/\bAGE +/g, 'AGE '],
];

/** Resources of both servers; the real one has more. */
const SERVED = new Set([
  ...['configmaps', 'events', 'namespaces', 'secrets', 'serviceaccounts', 'leases', 'customresourcedefinitions'],
  ...['clusterrolebindings', 'clusterroles', 'rolebindings', 'roles', 'tokenreviews', 'selfsubjectreviews'],
  ...['localsubjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews'],
]);

const SERVED_VERSIONS = new Set([
  ...['v1', 'apiextensions.k8s.io/v1', 'coordination.k8s.io/v1', 'events.k8s.io/v1', 'rbac.authorization.k8s.io/v1'],
  ...['authentication.k8s.io/v1', 'authorization.k8s.io/v1'],
]);

/** An outcome as text that two servers must agree in. */
export function normalized(line: string, { code, out, err, home, group }: Outcome): string {
  const even = (text: string): string =>
    REPLACEMENTS.reduce((result, [pattern, by]) => result.replace(pattern, by), text.replaceAll(home, '<home>'));
  return `exit code ${code}\n${withSortedWriters(even(specially(line, out, group)))}\n--- stderr\n${sortedFaults(even(err))}`;
}

/** Writers of one second are ordered by name, and those of two by time: which it is, is up to the moment. */
function withSortedWriters(out: string): string {
  const sortedAt = (start: RegExp) => (_: string, head: string, entries: string) =>
    `${head}${entries.split(start).sort().join('')}`;
  return out
    .replace(/^(( *)managedFields:\n)((?:\2- .*\n(?:\2 {2}.*\n)*)+)/gm, (all, head, _, entries) =>
      sortedAt(/^(?= *- apiVersion:)/m)(all, head, entries),
    )
    .replace(/^(( *)Managed Fields:\n)((?:\2 {2}.*\n)+)/gm, (all, head, _, entries) =>
      // Where a value begins depends on which of them is the last.
      sortedAt(/^(?= *API Version:)/m)(all, head, entries.replace(/: +/g, ': ')),
    );
}

/** The faults of one object come in a random order from the real server. */
function sortedFaults(err: string): string {
  return err.replace(/(?:^\* .*\n)+/gm, (faults) => faults.split('\n').sort().join('\n').trimStart().concat('\n'));
}

function specially(line: string, out: string, group: string): string {
  const lines = out.split('\n');
  if (line.startsWith('diff ')) return changedLines(lines).join('\n');
  if (line.startsWith('explain ')) return explained(line, lines).join('\n');
  if (line === 'api-versions') {
    return lines.filter((version) => SERVED_VERSIONS.has(version) || version.startsWith(`${group}/`)).join('\n');
  }
  // Old ones list the data in a random order.
  if (line.startsWith('describe configmap')) return lines.sort().join('\n');
  // Quotas and limits are about pods: there are none of either without nodes.
  if (line.startsWith('describe namespace')) return out.replace(/\nNo (?:resource quota|LimitRange resource)\.\n/g, '');
  if (line.startsWith('api-resources')) return servedOnly(lines, group).join('\n');
  if (line === 'get --raw /version') return withoutBuild(sortedJson(out));
  if (line.includes('--raw')) return sortedJson(out);
  if (line.startsWith('version')) return withoutBuild(out);
  return out;
}

/** Old ones show who set which fields when, which changes with every second: then the lines around it move. */
function changedLines(lines: readonly string[]): string[] {
  return lines.filter((line) => /^(?:[-+](?![-+])|diff )/.test(line) && !/^[-+] +time: /.test(line));
}

/**
 * Rows of what both servers have; the width of the columns follows from all of them. A custom kind of another suite may
 * have the name of a built-in one, as the Role of OpenStack.
 */
function servedOnly(lines: readonly string[], group: string): string[] {
  return lines
    .filter((row) => {
      const [name = '', ...columns] = row.split(/ +/);
      const isServed = SERVED.has(name) && columns.some((column) => SERVED_VERSIONS.has(column));
      return name === 'NAME' || isServed || row.includes(group) || row === '';
    })
    .map((row) => row.replace(/ +/g, ' '));
}

/** Which release it is, and who built it when with what, is all that may differ. */
function withoutBuild(out: string): string {
  return out
    .replace(
      /\b(build[dD]ate|gitCommit|gitTreeState|gitVersion|goVersion|compiler|platform)("?:) ?\S.*$/gm,
      '$1$2 <build>',
    )
    .replace(/\b(BuildDate|GitCommit|GitTreeState|GitVersion|GoVersion|Compiler|Platform):"[^"]*"/g, '$1:<build>')
    .replace(/^Server Version: v\S+$/m, 'Server Version: <version>');
}

/**
 * What explains built-in kinds, and the part of custom kinds that all objects have, is worded by each server: of these
 * texts only that there are any is compared, and everything else to the letter.
 */
function explained(line: string, lines: readonly string[]): string[] {
  const isCustom = /explain (?:trinket|tkt)/.test(line) && !line.includes('metadata');
  const result: string[] = [];
  let isOwn = !isCustom;
  // A text may have paragraphs.
  for (const each of lines.filter((one) => one.trim() !== '')) {
    const field = /^ {2,3}(\S+)\t<.*>/.exec(each)?.[1];
    if (field !== undefined) isOwn = !isCustom || ['apiVersion', 'kind', 'metadata'].includes(field);
    const isText = /^ {4,}\S/.test(each) && !/\t</.test(each) && !/^ +enum: /.test(each);
    if (!isText || !isOwn) result.push(each);
    else if (/<(?:no description|empty)>/.test(each)) result.push('<none>');
    else if (result.at(-1) !== '<text>') result.push('<text>');
  }
  return result;
}

/** The order of keys says nothing in JSON, nor does that of the custom resources of a group. */
function sortedJson(text: string): string {
  if (!text.startsWith('{')) return text;
  const sort = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sort).sort(byName);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, child]) => [key, sort(child)]),
    );
  };
  return JSON.stringify(sort(JSON.parse(text)), undefined, 1);
}

/** Resources by their names; everything else stays where it is. */
function byName(left: unknown, right: unknown): number {
  const isResource = (one: unknown): one is { name: string } =>
    typeof one === 'object' && one !== null && 'name' in one && 'singularName' in one;
  return isResource(left) && isResource(right) ? (left.name < right.name ? -1 : 1) : 0;
}
