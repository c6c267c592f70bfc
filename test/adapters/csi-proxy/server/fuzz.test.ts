// Every call of every version with messages that nobody would send: an answer or a status comes, and nothing outside of
// the allowed directories changes.
//
// CASES is the number of calls, 4,000 by default, of which SEED gives others.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32 } from '../../../../actors/base/clock.ts';
import { Code, StatusError } from '../../../../adapters/csi-proxy/base/status.ts';
import type { MessageType, Method } from '../../../../adapters/csi-proxy/codec/mod.ts';
import { WireError } from '../../../../adapters/csi-proxy/codec/mod.ts';
import type { DetachableFiles } from '../../../../adapters/csi-proxy/hosts/files.ts';
import { filesystem } from '../../../../adapters/csi-proxy/hosts/filesystem.ts';
import { MemoryFiles } from '../../../../adapters/csi-proxy/hosts/memory/memory-files.ts';
import { memoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { realFiles } from '../../../../adapters/csi-proxy/hosts/real-files.ts';
import { windowsHost } from '../../../../adapters/csi-proxy/hosts/windows/windows-host.ts';
import { allGroups } from '../../../../adapters/csi-proxy/server/all_groups_generated.ts';
import { groupDeps } from '../../../../adapters/csi-proxy/server/group-deps.ts';
import type { CallContext } from '../../../../adapters/csi-proxy/server/runtime.ts';
import { callContext, formattedDisk, GIB, KUBELET } from '../../../world/windows-groups.ts';
import { HOSTILE } from '../hosts/hostile.ts';
import { WorkerDouble } from '../hosts/worker-double.ts';
import { quickClock } from '../quick-clock.ts';

const test = suite('calls at random');

const CASES = Number(process.env['CASES'] ?? 4_000);
const SEED = Number(process.env['SEED'] ?? 20_261_121);

const IN_A_FOLDER = 'memory, files in a folder';

/** How many of the calls are made on which host. */
const SHARES = { memory: 0.45, windows: 0.45, [IN_A_FOLDER]: 0.1 };

interface Call {
  readonly method: Method<object, object>;
  readonly handler: (context: CallContext, request: object) => Promise<object>;
}

/** Files that complain when something outside of the allowed directories is changed. */
function watched(files: DetachableFiles, complaints: string[]): DetachableFiles {
  const { realPath } = filesystem({ files });
  const guarded = async (what: string, path: string): Promise<void> => {
    const real = (await realPath(path, { last: 'kept' })).toLowerCase();
    const isInside = real.startsWith('c:\\var\\lib\\kubelet\\') || real === 'c:\\var\\lib\\kubelet';
    // Volumes and shares are not of this machine's drives.
    if (!isInside && !real.startsWith('\\\\')) complaints.push(`${what} ${path}`);
  };
  return {
    look: (path) => files.look(path),
    reaches: (path) => files.reaches(path),
    list: (path) => files.list(path),
    attach: (root) => files.attach(root),
    detach: (root) => files.detach(root),
    async makeDirectory(path) {
      await guarded('makeDirectory', path);
      await files.makeDirectory(path);
    },
    async makeLink(path, target) {
      await guarded('makeLink', path);
      await files.makeLink(path, target);
    },
    async remove(path) {
      await guarded('remove', path);
      await files.remove(path);
    },
  };
}

async function world(kind: string, folder: string) {
  const complaints: string[] = [];
  const plain = kind === IN_A_FOLDER ? realFiles({ folder, drives: 'folder' }) : new MemoryFiles();
  await plain.attach('C:\\');
  await plain.attach('D:\\');
  const direct = filesystem({ files: plain });
  for (const path of [KUBELET, 'C:\\windows\\system32', 'D:\\data', 'C:\\var\\lib\\kubelet-other\\x'])
    await direct.mkdir(path);
  await plain.makeLink(`${KUBELET}\\out`, 'C:\\windows');
  await plain.makeLink(`${KUBELET}\\up`, 'C:\\');
  const clock = quickClock();
  const files = watched(plain, complaints);
  const machine = await memoryMachine({ clock, files });
  machine.iscsi.offer({
    portal: { address: '10.0.0.5', port: 3260 },
    iqn: 'iqn.x',
    disks: [machine.disks.make({ sizeBytes: GIB })],
  });
  for (const _ of [1, 2]) await formattedDisk(machine);
  const host = kind === 'windows' ? windowsHost({ worker: new WorkerDouble(machine), files, clock }) : machine.host;
  const calls: Call[] = [];
  const deps = groupDeps({ clock, host });
  for (const { registrant } of allGroups.flatMap((group) => group.serve(deps))) {
    registrant.register({
      handle<Request extends object, Response extends object>(
        method: Method<Request, Response>,
        handler: (context: CallContext, request: Request) => Promise<Response>,
      ) {
        calls.push({ method, handler } as unknown as Call);
      },
    });
  }
  return { calls, complaints, direct };
}

const PATHS = [
  KUBELET,
  ...['a', 'a\\b', 'mount', 'link', 'out', 'out\\a', 'up\\data'].map((name) => `${KUBELET}\\${name}`),
];

const VOLUMES = ['1', '2', '3', '4'].map((number) => `\\\\?\\Volume{0000000${number}-0000-4000-8000-000000000000}\\`);

const FITTING: readonly (readonly [name: RegExp, texts: readonly string[]])[] = [
  [/volume/i, VOLUMES],
  [/remote/i, ['\\\\files\\data', '//files/data/sub']],
  [/path|mount/i, PATHS],
  [/disk/i, ['0', '1', '2', '3', 'page83']],
  [/address/i, ['10.0.0.5']],
  [/iqn/i, ['iqn.x']],
  [/^name$/i, ['MSiSCSI']],
];

/** Messages of any type, often with what could be meant. */
class Chance {
  readonly #random: () => number;
  readonly #texts: readonly string[];

  constructor(random: () => number, texts: readonly string[]) {
    this.#random = random;
    this.#texts = texts;
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  pick<T>(all: readonly T[]): T {
    const chosen = all[this.below(all.length)];
    if (chosen === undefined) throw new Error('nothing to choose from');
    return chosen;
  }

  /** @param name  of the field: half of what it is given could be meant */
  text(name: string): string {
    const fitting = FITTING.find(([pattern]) => pattern.test(name))?.[1];
    if (fitting !== undefined && this.below(2) === 0) return this.pick(fitting);
    switch (this.below(6)) {
      case 0:
        return this.pick(HOSTILE);
      case 1:
        return `${KUBELET}\\${this.pick(HOSTILE)}`;
      case 2:
        return `${this.pick(this.#texts)}\\${this.pick(['a', 'b', 'out', 'up', 'windows', 'data', '..', 'A'])}`;
      case 3:
        return `${this.pick(this.#texts)}${this.pick(HOSTILE)}`;
      default:
        return this.pick(this.#texts);
    }
  }

  message(type: MessageType<object>): object {
    const given: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(type.fields)) {
      if (this.below(8) > 0) given[name] = this.value(name, field.type() as MessageType<object>);
    }
    return type.create(given);
  }

  value(name: string, type: MessageType<object>): unknown {
    switch (typeof type.initial()) {
      case 'string':
        return this.text(name);
      case 'boolean':
        return this.below(2) === 0;
      case 'bigint':
        return this.pick([0n, 1n, -1n, 5n * GIB, 100n * GIB, 2n ** 63n - 1n, -(2n ** 63n)]);
      case 'number':
        return this.pick([0, 1, 2, 3, 4, 65_535, 65_536, 2 ** 31 - 1]);
      default:
        return this.message(type);
    }
  }

  bytes(): Uint8Array {
    return Uint8Array.from({ length: this.below(40) }, () => this.below(256));
  }
}

for (const [kind, share] of Object.entries(SHARES)) {
  const count = Math.ceil(CASES * share);
  test(`${count} calls on ${kind}, seed ${SEED}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-fuzz-'));
    const { calls, complaints, direct } = await world(kind, folder);
    const texts = [
      ...PATHS,
      ...VOLUMES,
      '',
      'C:\\',
      'C:\\windows',
      'D:\\data',
      'user',
      'secretsecret',
      '10.0.0.5',
      'iqn.x',
    ];
    const chance = new Chance(mulberry32(SEED), texts);
    const answered = new Set<string>();
    const context = callContext();
    for (let number = 0; number < count; number++) {
      const { method, handler } = chance.pick(calls);
      const where = `call ${number}, ${method.path}, SEED=${SEED}`;
      try {
        const isNonsense = chance.below(20) === 0;
        const bytes = isNonsense ? chance.bytes() : method.request.encode(chance.message(method.request));
        const response = await handler(context, method.request.decode(bytes));
        method.response.encode(response);
        answered.add(method.path);
      } catch (error) {
        if (error instanceof WireError) continue;
        assert.instance(error, StatusError, `${where}: ${(error as Error).stack}`);
        assert.is.not((error as StatusError).code, Code.Internal, `${where}: ${error}`);
      }
      assert.equal(complaints, [], where);
    }
    for (const path of ['C:\\windows\\system32', 'D:\\data', 'C:\\var\\lib\\kubelet-other\\x', 'C:\\var\\lib']) {
      assert.ok(await direct.pathExists(path), path);
    }
    // Chance alone gets everything but logging in and mapping to work within so many calls.
    const answeredShare = answered.size / new Set(calls.map(({ method }) => method.path)).size;
    assert.ok(count < 1_500 || answeredShare > 0.5, `${answeredShare}`);
    await rm(folder, { recursive: true });
  });
}

test.run();
