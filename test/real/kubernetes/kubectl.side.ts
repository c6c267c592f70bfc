// A place where commands run against one server, as a person would: a home with a kubeconfig, manifests and an editor.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { systemClock } from '../../../actors/base/clock.ts';
import { manifests } from './kubectl.manifests.ts';
import type { Outcome } from './kubectl.normal.ts';
import type { Command } from './kubectl.scenes.ts';

/** Longest that one command may take, in milliseconds; deletions of definitions and namespaces are the slowest. */
const COMMAND_LIMIT_MS = 330_000;

/** Longest wait for what a watch must print, in milliseconds. */
const WATCH_LIMIT_MS = 20_000;

const clock = systemClock();

/** A folder with a kubeconfig, manifests and an editor, in which commands run against one server. */
export interface Side {
  run(command: Command): Promise<Outcome>;
  close(): void;
}

/** Splits a line at its spaces; single quotes hold together what is between them. */
function words(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|[^ '])+/g)].map(([word]) => word.replaceAll("'", ''));
}

export function openSide(kubectl: string, kubeconfig: string, names: Readonly<Record<string, string>>): Side {
  const home = mkdtempSync(join(tmpdir(), 'kubectl-'));
  const [namespace = '', group = ''] = [names['NAMESPACE'], names['GROUP']];
  const config = parse(kubeconfig) as { contexts: { context: { namespace?: string } }[] };
  for (const { context } of config.contexts) context.namespace = namespace;
  writeFileSync(join(home, 'config'), stringify(config), { mode: 0o600 });
  for (const [name, text] of Object.entries(manifests(group, namespace))) writeFileSync(join(home, name), text);
  mkdirSync(join(home, 'tmp'));
  const filled = (text: string): string => text.replace(/NAMESPACE|GROUP/g, (name) => names[name] ?? '');

  const start = (line: string, edit = ''): ChildProcess =>
    spawn(kubectl, words(filled(line)), {
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: COMMAND_LIMIT_MS,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        TMPDIR: join(home, 'tmp'),
        KUBECONFIG: join(home, 'config'),
        KUBE_EDITOR: `sed -i -e '${edit}'`,
        TZ: 'UTC',
      },
    });
  const ended = (child: ChildProcess, seen: (out: string) => void = () => undefined): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      let [out, err] = ['', ''];
      child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
        out += chunk;
        seen(out);
      });
      child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
        err += chunk;
      });
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ code: code ?? String(signal), out, err, home, group }));
    });
  const watched = async ({ line, during = [], lines = 0 }: Command): Promise<Outcome> => {
    const child = start(line);
    let wake = (): void => undefined;
    let printed = 0;
    const outcome = ended(child, (out) => {
      printed = out.split('\n').length - 1;
      wake();
    });
    const reached = async (count: number): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = () => {
        if (printed >= count) resolve();
      };
      wake();
      const timer = clock.setTimeout(resolve, WATCH_LIMIT_MS);
      await Promise.race([promise, outcome]);
      clock.clearTimeout(timer);
    };
    // A watch that prints nothing at first is given time to begin: the first command is slower than its start.
    if (!line.includes('--watch-only') && !line.includes('-l ')) await reached(1);
    else await new Promise<void>((resolve) => void clock.setTimeout(resolve, 1_500));
    for (const each of during) {
      const before = printed;
      const { code, err } = await ended(start(each));
      if (code !== 0) throw new Error(`${each}: ${err}`);
      await reached(Math.min(before + 1, lines));
    }
    await reached(lines);
    child.kill('SIGTERM');
    return outcome;
  };
  return {
    run(command) {
      if (command.during !== undefined) return watched(command);
      return ended(start(command.line, command.edit));
    },
    close: () => rmSync(home, { recursive: true, force: true }),
  };
}
