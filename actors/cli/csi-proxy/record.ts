// `troupe csi-proxy record`: what the servers of now answer to recorded requests.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ApiVersion,
  apiTree,
  readSource,
  recordCalls,
  recordedText,
  replayOn,
} from '../../../adapters/csi-proxy/check/mod.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { systemClock } from '../../base/clock.ts';
import { openLog } from '../../base/log.ts';
import { parsed } from '../command-line.ts';
import type { CsiProxyCommand } from './command.ts';
import { API, USAGES, versionHint } from './usage.ts';

export const record: CsiProxyCommand = async (args, { out, cwd }) => {
  const { values, positionals } = parsed(USAGES.record, args);
  const [group, version, ...rest] = positionals;
  if (rest.length > 0) throw new TerminalError("'record' takes a group and a version, such as 'record disk v1'");
  const tree = await readSource(API, { cwd, api: API });
  const asked = apiTree(tree).versions.filter(
    (one) => (group ?? one.group) === one.group && (version ?? one.version) === one.version,
  );
  if (asked.length === 0) {
    const meant = versionHint(apiTree(tree), group ?? '', version ?? '');
    throw new TerminalError(`there is no '${API}/${positionals.join('/')}'${meant}`);
  }
  let changes = 0;
  for (const one of asked) {
    const file = fileOf(one);
    const text = tree.files.get(file);
    if (text === undefined) {
      if (version !== undefined) throw new TerminalError(`there is no '${API}/${file}' with calls to record`);
      out.write(`${API}/${file}: not there, nothing recorded\n`);
      continue;
    }
    const recorded = await recordedAgain(one, text);
    if (recorded === text) continue;
    changes++;
    if (!values.check) await writeFile(join(cwd, API, file), recorded);
    out.write(`${API}/${file}: ${values.check ? 'would be written' : 'written'}\n`);
  }
  if (changes === 0) out.write('recordings are up to date\n');
  return values.check === true && changes > 0 ? 1 : 0;
};

/** @returns what the file should hold */
async function recordedAgain({ group, version, proto }: ApiVersion, text: string): Promise<string> {
  const server = await replayOn({ clock: systemClock(), log: openLog({ level: 'silent', readable: false }) })(
    group,
    version,
  );
  if (server === undefined) throw new TerminalError(`there is no server of ${group}/${version}; 'gen' makes its part`);
  try {
    return recordedText(await recordCalls(text, { file: `${API}/${fileOf({ group, version })}`, proto, server }));
  } finally {
    await server.close();
  }
}

function fileOf({ group, version }: Pick<ApiVersion, 'group' | 'version'>): string {
  return `${group}/${version}/recorded.json`;
}
