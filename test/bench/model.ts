// The model language: `troupe model check` on a made up model of the size of the real one and on the reference data, the
// start of the process included, and how long it takes to check again after one edited file, in an editor's process
// and in the language server, over the protocol.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mulberry32 } from '../../actors/base/clock.ts';
import { readModel, Workspace } from '../../adapters/ocm/model/mod.ts';
import { REFERENCE } from '../adapters/ocm/corpus.ts';
import { REAL_SIZE, synthesize } from '../adapters/ocm/synthetic.ts';
import { editorFigures } from './model-editor.ts';

const CLI = fileURLToPath(new URL('../../actors/cli.js', import.meta.url));
/** Commands that read a whole model; `{out}` stands for a folder to write to. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  check: ['check', '{model}'],
  openapi: ['openapi', '{model}', '--output', '{out}.openapi'],
  types: ['types', '{model}', '--output', '{out}.types'],
  docs: ['docs', '{model}', '--output', '{out}.docs'],
};
const EDITS = 400;

/** Figures of one run, in milliseconds. */
export async function model({ count }: { count: number }): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  const folder = await mkdtemp(join(tmpdir(), 'troupe-bench-'));
  try {
    const made = join(folder, 'model');
    const size = { ...REAL_SIZE, files: count, lines: Math.round((REAL_SIZE.lines * count) / REAL_SIZE.files) };
    for (const [file, text] of synthesize(mulberry32(1), size)) {
      await mkdir(dirname(join(made, file)), { recursive: true });
      await writeFile(join(made, file), text);
    }
    const models = { made, ...(existsSync(REFERENCE) ? { reference: REFERENCE } : {}) };
    for (const [name, root] of Object.entries(models)) {
      for (const [command, args] of Object.entries(COMMANDS)) {
        figures[`${name}.${command}`] = timed(
          args.map((arg) => arg.replace('{model}', root).replace('{out}', join(folder, name))),
        );
      }
    }
    Object.assign(figures, edits(made));
    for (const [name, root] of Object.entries(models)) {
      for (const [figure, value] of Object.entries(await editorFigures(root))) figures[`${name}.${figure}`] = value;
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [`${name}.ms`, Math.round(value * 10) / 10]),
  );
}

function timed(args: readonly string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [CLI, 'model', ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`troupe model ${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - start;
}

/**
 * From the new text of a file to all complaints: files of all services, the largest most often. The processor time is that
 * of the thread, which does not depend on who else uses the machine.
 */
function edits(root: string): Record<string, number> {
  const workspace = new Workspace();
  readModel(workspace, [root]);
  const files = workspace.files();
  workspace.diagnostics();
  const random = mulberry32(2);
  const took = Array.from({ length: EDITS }, (_, index) => {
    const file = files[Math.floor(random() * files.length)] ?? '';
    const text = workspace.syntax(file)?.text ?? '';
    const edited =
      index % 2 === 0
        ? `${text}\nstruct Edited${'x'.repeat(index)} {\n\tName Strin\n}\n`
        : text.replace('String', 'Date');
    const start = performance.now();
    const used = process.threadCpuUsage();
    workspace.set(file, edited);
    workspace.diagnostics();
    const { user, system } = process.threadCpuUsage(used);
    const end = performance.now();
    workspace.set(file, text);
    workspace.diagnostics();
    return { elapsed: end - start, cpu: (user + system) / 1_000 };
  });
  const percentile = (of: 'elapsed' | 'cpu', share: number): number =>
    took.map((each) => each[of]).sort((a, b) => a - b)[Math.floor((EDITS - 1) * share)] ?? 0;
  return {
    'edit.p50': percentile('elapsed', 0.5),
    'edit.p99': percentile('elapsed', 0.99),
    'edit.cpu.p50': percentile('cpu', 0.5),
    'edit.cpu.p99': percentile('cpu', 0.99),
  };
}
