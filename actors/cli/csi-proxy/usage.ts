// Arguments and options of the commands of `troupe csi-proxy`.

import { PIPE_PREFIX } from '../../../adapters/csi-proxy/base/pipes.ts';
import { FLAGS } from '../../../adapters/csi-proxy/server/flag-table.ts';
import { hint } from '../../../adapters/text/nearest.ts';
import type { Usage } from '../command-line.ts';

/** Folder of the protos, from the root of the repository. */
export const API = 'adapters/csi-proxy/api';

/** Suggestion for a version that is not in a tree. */
export function versionHint(
  { versions }: { readonly versions: readonly { readonly group: string; readonly version: string }[] },
  group: string,
  version: string,
): string {
  const ofGroup = versions.filter((one) => one.group === group).map((one) => one.version);
  return ofGroup.length > 0
    ? hint(version, ofGroup)
    : hint(
        group,
        versions.map((one) => one.group),
      );
}

const OUTPUT = {
  type: 'string',
  short: 'o',
  value: 'text|json',
  default: 'text',
  help: 'json is for programs',
} as const;
const PREFIX = {
  type: 'string',
  value: 'TEXT',
  default: PIPE_PREFIX,
  help: 'what names of pipes begin with',
} as const;
const DATE = {
  type: 'string',
  value: 'YYYY-MM-DD',
  fallback: 'today',
  help: 'of the release that is being prepared, for the deprecation policy',
} as const;

export const USAGES = {
  serve: {
    name: 'csi-proxy serve',
    about:
      "answers the calls of csi-proxy's clients, on a pipe for each version of each group, with the flags of the original, one dash or two, and more; exits with 0 when it is asked to stop",
    options: FLAGS,
    examples: ['csi-proxy serve', 'csi-proxy serve --group disk --version v1 --group volume'],
  },
  call: {
    name: 'csi-proxy call',
    forms: ['<group> <method> [<json>]'],
    about:
      'makes one call and prints the answer as JSON; exits with 0, with 1 if the call failed, with 2 if it makes no sense',
    options: {
      version: {
        type: 'string',
        value: 'NAME',
        fallback: 'the newest that is served and has the method',
        help: 'such as v1beta2',
      },
      pipe: { type: 'string', value: 'PATH', help: 'any pipe, with --version' },
      'pipe-prefix': PREFIX,
      'timeout-ms': {
        type: 'string',
        value: 'N',
        fallback: 'as long as the server lets it',
        help: 'how long the call may take',
      },
    },
    notes: `<json> is the request, {} unless given, fields without a value left out; - reads it from standard input, which
hides a password from other users.
`,
    examples: [
      'csi-proxy call disk ListDiskIDs',
      `csi-proxy call filesystem PathExists '{"path": "C:\\\\var\\\\lib\\\\kubelet\\\\pods"}'`,
    ],
  },
  ls: {
    name: 'csi-proxy ls',
    about: 'lists the versions that this node serves, with their pipes; exits with 1 if it is none',
    options: { 'pipe-prefix': PREFIX, output: OUTPUT },
    examples: ['csi-proxy ls', 'csi-proxy ls -o json'],
  },
  gen: {
    name: 'csi-proxy gen',
    forms: ['[<folder>...]', 'new-group <name>', 'new-version <group> <from> <to>'],
    about:
      'generates servers, clients and conversions from <group>/<version>/api.proto; new-group and new-version start one: its first proto, or a copy of another, hand-written conversions included; exit status: 0 done, 1 the protos or files of theirs are wrong',
    options: {
      check: { type: 'boolean', help: 'writes nothing; exits with 1 if something would be written' },
      quiet: { type: 'boolean', short: 'q', help: 'prints problems, warnings and the totals only' },
      orphans: {
        type: 'string',
        value: 'keep|delete',
        fallback: 'a complaint',
        help: 'what is done with hand-written files of versions that do not exist any more',
      },
      api: { type: 'string', value: 'FOLDER', fallback: API, help: 'where protos are' },
      server: { type: 'string', value: 'FOLDER', fallback: 'adapters/csi-proxy/server', help: 'where servers are' },
      client: { type: 'string', value: 'FOLDER', fallback: 'adapters/csi-proxy/client', help: 'where clients are' },
    },
    notes: `A folder is the one with all protos, or another with a group in it, marked by a doc.ts with the line
// +csi-proxy-gen; ./new-group is a folder of that name.
`,
    examples: ['csi-proxy gen', 'csi-proxy gen --check', 'csi-proxy gen new-version disk v1 v2alpha1'],
  },
  check: {
    name: 'csi-proxy check',
    forms: ['<old> <new>'],
    about:
      'compares two API trees by the compatibility rules C00 to C33 and the deprecation policy; exits with 0, with 1 if something breaks, with 2 if that cannot be decided',
    options: {
      output: OUTPUT,
      policy: {
        type: 'string',
        value: 'compatible|immutable',
        default: 'compatible',
        help: 'what the rules permit may change in place, or: released versions do not change (C00)',
      },
      date: DATE,
      server: {
        type: 'string',
        value: 'FOLDER',
        help: `where the generated servers of <new> are, for C33; known of ${API} itself`,
      },
      client: { type: 'string', value: 'FOLDER', help: 'where its generated clients are' },
      rules: { type: 'boolean', help: 'prints the rules, and compares nothing' },
    },
    notes: `A tree is <group>/<version>/api.proto, and <old> and <new> each are
  a folder                          such as ${API}
  a revision of git and a folder    such as v1.2.0:${API}, the folder from the repository's root
  a revision of git                 such as HEAD~1 or main, with the folder ${API}
A folder is taken where both exist: 'name:folder' is always a revision.

Calls that were recorded with <old>, in its <group>/<version>/recorded.json, are made again of the servers that come with
this command, whatever <new> is.

The releases so far are in releases.json of the new tree, in the order of publication, 'api' being a tree as above:
  {"releases": [{"name": "1.0.0", "date": "2026-01-31", "api": "v1.0.0:${API}"}]}
`,
    examples: [`csi-proxy check HEAD~1 ${API}`, 'csi-proxy check v1.2.0 HEAD --policy immutable -o json'],
  },
  record: {
    name: 'csi-proxy record',
    forms: ['[<group> [<version>]]'],
    about: `makes the calls of ${API}/<group>/<version>/recorded.json, in their order, on a machine in memory that is always the same, and writes what was answered beside each; 'check' makes them again when the release is the old tree (C31, C32)`,
    options: { check: { type: 'boolean', help: 'writes nothing; exits with 1 if something would be written' } },
    notes: `A new call is an "rpc" and a "request", and the command fills in the rest; *** represents a secret:
  {"calls": [{"rpc": "PathExists", "request": {"path": "C:\\\\var\\\\lib\\\\kubelet\\\\pods"}}]}
`,
    examples: ['csi-proxy record', 'csi-proxy record disk v1 --check'],
  },
  status: {
    name: 'csi-proxy status',
    forms: ['[<tree>]'],
    about: `lists what is deprecated, and with which release and from which day on it may go; a tree is as for check, ${API} unless given`,
    options: { output: OUTPUT, date: DATE },
    examples: ['csi-proxy status', 'csi-proxy status v1.2.0 -o json'],
  },
  diff: {
    name: 'csi-proxy diff',
    forms: ['<group> <older> <newer>'],
    about: `shows where two versions of a group in ${API} differ, and which messages the older one converts by hand`,
    options: { output: OUTPUT },
    examples: ['csi-proxy diff disk v1beta2 v1'],
  },
} as const satisfies Readonly<Record<string, Usage>>;
export type CommandName = keyof typeof USAGES;
