// `troupe model diff <old> <new>`: which changes break clients.
import { type Break, compareModels } from '../../../adapters/ocm/diff/mod.ts';
import { type Place, renderDiagnostic, type Workspace } from '../../../adapters/ocm/model/mod.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { parsed } from '../command-line.ts';
import { counted } from './counted.ts';
import { checkedModel } from './session.ts';
import { USAGES } from './usage.ts';

/** @returns 0 for changes that break no client, 1 if some do or a model has errors */
export async function run(args: readonly string[]): Promise<number> {
  const { folders, json } = argumentsOf(args);
  const old = checkedModel([folders.old], { warnings: () => false });
  // Complaints about the old model are no news.
  const known = new Set(old?.diagnostics().map(({ code, message }) => `${code} ${message}`));
  const now = checkedModel([folders.now], { warnings: ({ code, message }) => !known.has(`${code} ${message}`) });
  if (old === undefined || now === undefined) return 1;
  const breaks = compareModels(old.model(), now.model());
  process.stdout.write(json ? `${JSON.stringify({ breaks: breaks.map(plain) }, null, 2)}\n` : text(breaks, old, now));
  return breaks.length === 0 ? 0 : 1;
}

/** @throws {TerminalError} anything but two folders and a known form of output */
function argumentsOf(args: readonly string[]): { folders: { old: string; now: string }; json: boolean } {
  const { values, positionals } = parsed(USAGES.diff, args);
  const [old, now, ...others] = positionals;
  if (old === undefined || now === undefined || others.length > 0) {
    throw new TerminalError(`two folders are compared, the old model and the new one; got ${positionals.length}`);
  }
  if (values.output !== 'text' && values.output !== 'json') {
    throw new TerminalError(`--output is 'text' or 'json', not '${values.output}'`);
  }
  return { folders: { old, now }, json: values.output === 'json' };
}

/** Removals are shown where they were, changes where they are. */
function text(breaks: readonly Break[], old: Workspace, now: Workspace): string {
  const shown = breaks.map(({ rule, message, service, version, old: was, new: is }) => {
    const whose = version === undefined ? service : `${service}/${version}`;
    const [place, workspace] = is === undefined ? [was, old] : [is, now];
    const origin = is === undefined ? '' : `; was at ${was.file}:${was.line}:${was.column}`;
    const source = place.line === 0 ? undefined : workspace.syntax(place.file)?.text;
    return `${renderDiagnostic({ code: rule, severity: 'breaking', message: `${whose}: ${message}${origin}`, place }, source)}\n`;
  });
  const sum = breaks.length === 0 ? 'no change breaks clients' : `${counted(breaks.length, 'breaking change')}`;
  return `${shown.join('')}${sum}\n`;
}

function plain({ rule, message, service, version, old, new: now }: Break) {
  return {
    rule,
    message,
    service,
    version: version ?? null,
    old: position(old),
    new: now === undefined ? null : position(now),
  };
}

function position({ file, line, column }: Place) {
  return { file, line, column };
}
