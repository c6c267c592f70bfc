// Seed of a simulated machine, with its faults: read from plain data, as in a file.
import { TerminalError } from '../../../../bus/errors.ts';
import type { Portal } from '../host.ts';
import { parseRemotePath } from '../remote-path.ts';
import { type Fault, FaultKind } from './faults.ts';
import type { NewDisk } from './memory-disks.ts';
import type { MemoryMachine } from './memory-host.ts';
import type { MemoryTarget } from './memory-iscsi.ts';
import type { MemoryService } from './memory-services.ts';
import { readAll, type SeedFields } from './seed-fields.ts';

export interface Seed {
  readonly disks: readonly SeedDisk[];
  readonly shares: readonly { readonly root: string; readonly username: string; readonly password: string }[];
  readonly unknownShares: 'offered' | 'absent';
  readonly targets: readonly (Omit<MemoryTarget, 'disks'> & { readonly disks: readonly NewDisk[] })[];
  readonly services: readonly MemoryService[];
  readonly faults: readonly Fault[];
}

export interface SeedDisk extends NewDisk {
  /** `on-rescan`: the next one sees it. */
  readonly attached: 'now' | 'on-rescan';
  /** Size that the next rescan finds. */
  readonly grownBytes: bigint | undefined;
}

const GIB = 2n ** 30n;
const DISK_GIB = 10;
const ISCSI_PORT = 3_260;

/** Contents of a disk, by their names in a file. */
const CONTENTS = {
  raw: undefined,
  unformatted: { style: 'GPT', fileSystem: 'none' },
  foreign: { style: 'GPT', fileSystem: 'foreign' },
  ntfs: { style: 'GPT', fileSystem: 'NTFS' },
} as const satisfies Readonly<Record<string, NewDisk['content']>>;

/** @throws {TerminalError} says where in it the mistake is, the rule, and what it got */
export function parseSeed(value: unknown): Seed {
  return readAll(value ?? {}, '', (machine) => ({
    disks: machine.each('disks', disk),
    shares: machine.each('shares', (share) => ({
      root: rootOf(share.requiredText('path')),
      username: share.text('username') ?? '',
      password: share.text('password') ?? '',
    })),
    unknownShares: machine.choice('unknownShares', ['offered', 'absent']) ?? 'offered',
    targets: machine.each('targets', target),
    services: machine.each('services', service),
    faults: machine.each('faults', fault),
  }));
}

/** Puts on a machine what a seed has, but for its faults and what the machine is made with. */
export async function plant(machine: MemoryMachine, { disks, shares, targets, services }: Seed): Promise<void> {
  for (const { attached, grownBytes, ...given } of disks) {
    const made = machine.disks.make(given);
    if (grownBytes !== undefined) made.trueSizeBytes = grownBytes;
    if (attached === 'on-rescan') machine.disks.attach(made);
    else await machine.disks.attachSeen(made);
  }
  for (const { root, ...login } of shares) machine.smb.offer(root, login);
  for (const { disks, ...offered } of targets) {
    machine.iscsi.offer({ ...offered, disks: disks.map((given) => machine.disks.make(given)) });
  }
  for (const each of services) machine.services.add(each);
}

function rootOf(path: string): string {
  try {
    return parseRemotePath(path).root;
  } catch (error) {
    throw new TerminalError(`shares: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

function disk(fields: SeedFields): SeedDisk {
  const grownGib = fields.number('grownGib', 1);
  return {
    ...newDisk(fields),
    grownBytes: grownGib === undefined ? undefined : BigInt(grownGib) * GIB,
    attached: fields.choice('attached', ['now', 'on-rescan']) ?? 'now',
  };
}

function newDisk(fields: SeedFields): NewDisk {
  const sizeGib = fields.number('sizeGib', 1) ?? DISK_GIB;
  const lun = fields.number('lun', 0);
  const location = fields.text('location');
  const content = CONTENTS[fields.choice('content', ['raw', 'unformatted', 'foreign', 'ntfs']) ?? 'raw'];
  return {
    sizeBytes: BigInt(sizeGib) * GIB,
    location: location ?? (lun === undefined ? '' : `PCI Slot 3 : Adapter 0 : Port 0 : Target 0 : LUN ${lun}`),
    page83: fields.text('page83') ?? '',
    serialNumber: fields.text('serialNumber') ?? '',
    state: fields.choice('state', ['online', 'offline']) ?? 'online',
    isOdd: fields.choice('identifiers', ['told', 'untold']) === 'untold',
    ...(content === undefined ? {} : { content }),
  };
}

function target(fields: SeedFields): Seed['targets'][number] {
  const chap = fields.one('chap', (login) => ({
    username: login.requiredText('username'),
    secret: login.requiredText('secret'),
  }));
  const mutualSecret = fields.text('mutualSecret');
  return {
    portal: fields.one('portal', portal) ?? { address: '127.0.0.1', port: ISCSI_PORT },
    iqn: fields.requiredText('iqn'),
    disks: fields.each('disks', newDisk),
    ...(chap === undefined ? {} : { chap }),
    ...(mutualSecret === undefined ? {} : { mutualSecret }),
  };
}

function portal(fields: SeedFields): Portal {
  return { address: fields.requiredText('address'), port: fields.number('port', 1) ?? ISCSI_PORT };
}

function service(fields: SeedFields): MemoryService {
  const name = fields.requiredText('name');
  const takesMs = fields.number('takesMs', 0);
  return {
    name,
    displayName: fields.text('displayName') ?? name,
    startType: fields.choice('startType', ['AUTOMATIC', 'MANUAL', 'DISABLED']) ?? 'MANUAL',
    status: fields.choice('status', ['STOPPED', 'RUNNING', 'PAUSED']) ?? 'STOPPED',
    needs: fields.texts('needs'),
    ...(takesMs === undefined ? {} : { takesMs }),
  };
}

function fault(fields: SeedFields): Fault {
  return {
    operation: fields.requiredText('operation'),
    kind: fields.choice('kind', Object.values(FaultKind)) ?? FaultKind.Refused,
    skip: fields.number('skip', 0) ?? 0,
    times: fields.number('times', 1) ?? 1,
    delayMs: fields.number('delayMs', 0) ?? 0,
    message: fields.text('message') ?? 'the machine failed, as configured',
  };
}
