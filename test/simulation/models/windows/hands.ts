// What people do on Windows machines, and with disks, past all objects.
import type { MemoryDisk } from '../../../../adapters/csi-proxy/hosts/memory/memory-disks.ts';
import { type Estate, PASSWORD, PORTAL, USERNAME } from './estate.ts';
import { type Machines, newDisk, type SimulatedMachine, seenOn, volumesOf } from './machines.ts';
import type { HandDeed } from './plan.ts';
import type { WindowsWatch } from './watch.ts';

export class WindowsHands {
  readonly #machines: Machines;
  readonly #estate: Estate;
  readonly #watch: WindowsWatch;
  /** Disks that no machine sees. */
  readonly #away: MemoryDisk[] = [];
  /** Directories that somebody made where a mount is to be. */
  readonly #blocks: { readonly node: string; readonly path: string }[] = [];
  #made = 0;

  constructor(deps: { readonly machines: Machines; readonly estate: Estate; readonly watch: WindowsWatch }) {
    this.#machines = deps.machines;
    this.#estate = deps.estate;
    this.#watch = deps.watch;
  }

  /** Whatever cannot be done is not. @param number  draws what it is done to */
  async do(deed: HandDeed, node: string, number: number): Promise<void> {
    const machine = this.#machines.of(node);
    const { memory } = machine;
    const pick = <Item>(items: readonly Item[]): Item | undefined => items[number % items.length];
    const shown = await seenOn(memory);
    const own = shown.filter(([, disk]) => !this.#isBehindTarget(disk) && !isFormatting(machine, disk));
    const [at, disk] = pick(own) ?? [];
    const path = pick(this.#pathsOn(node));
    const root = pick(this.#estate.shares) ?? '';
    switch (deed) {
      case 'vanish':
      case 'swap':
      case 'move':
        if (at !== undefined && disk !== undefined) await this.#take({ deed, node, number }, at, disk);
        return;
      case 'bringBack': {
        const back = this.#away.splice(number % Math.max(1, this.#away.length), 1)[0];
        if (back === undefined) return;
        if (number % 2 === 0) await memory.disks.attachSeen(back);
        else memory.disks.attach(back);
        return;
      }
      case 'offline':
      case 'online':
        if (at === undefined || disk === undefined) return;
        this.#watch.onHand(node, deed, disk);
        await memory.host.disk.setDiskState(at, deed);
        return;
      case 'partition':
        if (at === undefined || disk?.style !== 'RAW' || disk.state !== 'online') return;
        this.#watch.onHand(node, deed, disk);
        await memory.host.disk.initializeDisk(at);
        await memory.host.disk.createBasicPartition(at);
        this.#fill(disk);
        return;
      case 'spoilVolume':
        // What is put where Windows never knew anything, nobody could know of.
        if (disk === undefined || !disk.partitions.some(({ volume }) => volume?.fileSystem === 'NTFS')) return;
        this.#watch.onHand(node, deed, disk);
        this.#fill(disk);
        return;
      case 'unmount': {
        const entry = path === undefined ? undefined : await memory.files.look(path);
        if (path === undefined || entry?.kind !== 'mount' || entry.volumeId === undefined) return;
        this.#watch.onHand(node, deed, path);
        await memory.host.volume.unmountVolume(entry.volumeId, path).catch(() => undefined);
        return;
      }
      case 'block':
        if (path === undefined || (await memory.files.look(path)).kind !== 'absent') return;
        this.#watch.onHand(node, deed, path);
        await memory.host.filesystem.mkdir(`${path}\\of-others`);
        this.#blocks.push({ node, path });
        return;
      case 'unblock': {
        const block = this.#blocks.find((each) => each.node === node);
        if (block === undefined) return;
        await memory.host.filesystem.rmdir(block.path, { contents: 'removed' });
        this.#blocks.splice(this.#blocks.indexOf(block), 1);
        return;
      }
      case 'map':
        this.#watch.onHand(node, deed, root);
        await memory.host.smb
          .newSmbGlobalMapping({ root, username: USERNAME, password: PASSWORD, encryption: 'required' })
          .catch(() => undefined);
        return;
      case 'unmap':
        this.#watch.onHand(node, deed, root);
        await memory.host.smb.removeSmbGlobalMapping(root).catch(() => undefined);
        return;
      case 'breakMapping':
        if ((await memory.host.smb.isSmbMapped(root)) === 'mapped') memory.smb.breakMapping(root);
        return;
      case 'disconnect': {
        const target = pick(this.#estate.nodes.find(({ name }) => name === node)?.targets ?? []);
        if (target === undefined || shown.some(([, each]) => isFormatting(machine, each))) return;
        for (const [, each] of shown) if (this.#isBehindTarget(each)) this.#watch.onHand(node, deed, each);
        this.#watch.onBeforehandEnds(node, target.iqn);
        await memory.host.iscsi.disconnectTarget(PORTAL, target.iqn).catch(() => undefined);
        return;
      }
    }
  }

  async #take(
    {
      deed,
      node,
      number,
    }: { readonly deed: 'vanish' | 'swap' | 'move'; readonly node: string; readonly number: number },
    at: number,
    disk: MemoryDisk,
  ): Promise<void> {
    const { memory } = this.#machines.of(node);
    this.#watch.onHand(node, deed, disk);
    await memory.disks.detach(at);
    if (deed === 'move') {
      const others = this.#machines.all.filter((machine) => machine.node !== node);
      await others[number % others.length]?.memory.disks.attachSeen(disk);
      return;
    }
    this.#away.push(disk);
    if (deed === 'vanish') return;
    const id = ++this.#made;
    const content = number % 2 === 0 ? 'ntfs' : 'raw';
    await memory.disks.attachSeen(
      memory.disks.make(newDisk({ page83: `naa.swapped-${id}`, serialNumber: `W-${id}`, lun: 90 + id, content })),
    );
  }

  /** With something that Windows does not know. */
  #fill({ partitions }: MemoryDisk): void {
    for (const { volume } of partitions) if (volume !== undefined) volume.fileSystem = 'foreign';
  }

  #isBehindTarget({ serialNumber }: MemoryDisk): boolean {
    return this.#estate.nodes.some(({ targets }) =>
      targets.some(({ disks }) => disks.some((disk) => disk.serialNumber === serialNumber)),
    );
  }

  #pathsOn(node: string): readonly string[] {
    const paths = this.#estate.things.flatMap(({ kind, name, spec }) =>
      kind === 'WindowsMount' && name.startsWith(node) ? [String(spec['path'])] : [],
    );
    return [...new Set(paths)];
  }
}

function isFormatting({ formatting }: SimulatedMachine, disk: MemoryDisk): boolean {
  return volumesOf(disk).some((id) => formatting.has(id));
}
