// `troupe csi-proxy check`, `status` and `diff`: may this API be released after that one?
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import {
  apiTree,
  type CheckDeps,
  checkTrees,
  count,
  dayOf,
  deprecatedMembers,
  differencesOf,
  diffText,
  parseDate,
  parsePolicy,
  REVIEW,
  RULES,
  readHistory,
  readSource,
  replayOn,
  reportText,
  Severity,
  statusText,
  versionOf,
} from '../../../adapters/csi-proxy/check/mod.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { systemClock } from '../../base/clock.ts';
import { openLog } from '../../base/log.ts';
import { parsed } from '../command-line.ts';
import type { CsiProxyCommand } from './command.ts';
import { API, USAGES, versionHint } from './usage.ts';

const SERVER = 'adapters/csi-proxy/server';

export const check: CsiProxyCommand = async (args, { out, cwd }) => {
  const { values, positionals } = parsed(USAGES.check, args);
  checkOutput(values.output);
  if (values.rules) {
    const lines = Object.entries(RULES).map(([id, { change, breaks }]) => `${id}  ${change}\n     breaks: ${breaks}\n`);
    return print(out, lines.join(''));
  }
  const [base, current, ...rest] = positionals;
  if (base === undefined || current === undefined || rest.length > 0) {
    throw new TerminalError("'check' takes two API trees, such as 'check HEAD~1 adapters/csi-proxy/api'");
  }
  const input = { base, current, policy: parsePolicy(values.policy), today: dateOf(values.date), cwd, api: API };
  const { server, client } = values;
  const stale = await staleFiles({ cwd, api: current, server, client });
  const log = openLog({ level: 'silent', readable: false });
  const checked = await checkTrees(input, { replay: replayOn({ clock: systemClock(), log }), stale });
  const breaks = count(checked.findings, Severity.Break);
  if (values.output === 'text') return print(out, reportText(checked), breaks);
  const answer = { base, current, policy: input.policy, date: input.today, breaks, ...checked, review: REVIEW };
  return print(out, `${JSON.stringify(answer, undefined, 2)}\n`, breaks);
};

interface Generated {
  readonly cwd: string;
  readonly api: string;
  readonly server: string | undefined;
  readonly client: string | undefined;
}

/** undefined: the folder of the generated code of `api` is unknown. */
async function staleFiles({ cwd, api, server, client }: Generated): Promise<CheckDeps['stale']> {
  const { DEFAULT_BASES, run } = await import('../../../adapters/csi-proxy/generator/mod.ts');
  const folder = resolve(cwd, api);
  const isOwn = folder === DEFAULT_BASES.api;
  if (!isOwn && (server === undefined || client === undefined)) return undefined;
  const bases = {
    api: folder,
    server: server === undefined ? DEFAULT_BASES.server : resolve(cwd, server),
    client: client === undefined ? DEFAULT_BASES.client : resolve(cwd, client),
  };
  return async () => {
    const { problems, changes } = run({ bases, root: cwd, isCheck: true });
    const files = [...changes.written, ...changes.scaffolded, ...changes.removed];
    const shown = files.map((file) => relative(cwd, file).split(sep).join('/')).sort();
    return [
      ...problems.map(({ at, message }) => ({ at, problem: message })),
      ...shown.map((file) => ({ at: { file } })),
    ];
  };
}

export const status: CsiProxyCommand = async (args, { out, cwd }) => {
  const { values, positionals } = parsed(USAGES.status, args);
  checkOutput(values.output);
  const [tree = API, ...rest] = positionals;
  if (rest.length > 0) throw new TerminalError("'status' takes one API tree");
  const deps = { cwd, api: API };
  const files = await readSource(tree, deps);
  const history = await readHistory(files, deps);
  const members = deprecatedMembers(apiTree(files), { history, today: dateOf(values.date) });
  return print(out, values.output === 'text' ? statusText(members) : `${JSON.stringify({ members }, undefined, 2)}\n`);
};

export const diff: CsiProxyCommand = async (args, { out, cwd }) => {
  const { values, positionals } = parsed(USAGES.diff, args);
  checkOutput(values.output);
  const [group, older, newer, ...rest] = positionals;
  if (group === undefined || older === undefined || newer === undefined || rest.length > 0) {
    throw new TerminalError("'diff' takes a group and two of its versions, such as 'diff disk v1beta2 v1'");
  }
  const tree = apiTree(await readSource(API, { cwd, api: API }));
  const [before, after] = [older, newer].map((version) => {
    const proto = versionOf(tree, group, version);
    if (proto === undefined) {
      throw new TerminalError(`there is no '${API}/${group}/${version}/api.proto'${versionHint(tree, group, version)}`);
    }
    return proto;
  });
  if (before === undefined || after === undefined) throw new TypeError('two versions were asked for');
  const conversion = join(cwd, SERVER, group, 'internal', older, 'conversion.ts');
  const differences = differencesOf(before, after, existsSync(conversion) ? await readFile(conversion, 'utf8') : '');
  return print(
    out,
    values.output === 'text' ? diffText(differences) : `${JSON.stringify({ differences }, undefined, 2)}\n`,
  );
};

function checkOutput(output: string): void {
  if (output !== 'text' && output !== 'json') throw new TerminalError(`--output must be text or json; got '${output}'`);
}

function dateOf(date: string | undefined): string {
  return date === undefined ? dayOf(systemClock().now()) : parseDate(date);
}

function print(out: NodeJS.WritableStream, text: string, breaks = 0): number {
  out.write(text);
  return breaks > 0 ? 1 : 0;
}
