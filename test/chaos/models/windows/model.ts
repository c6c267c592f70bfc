// Model of Windows storage: three machines, each with a process on its node, and all kinds of objects of them.
import { fileURLToPath } from 'node:url';
import { installCrds } from '../../../../actors/process/install-crds.ts';
import { windowsContracts } from '../../../../adapters/windows/contracts/mod.ts';
import { resource } from '../../../../adapters/windows/kinds/windows-kind.ts';
import { ROLE } from '../../../../adapters/windows/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import type { World } from '../../../world/world.ts';
import type { Model, Run, Scenario } from '../../model.ts';
import { estate as estateWith } from './estate.ts';
import { windowsFaults } from './faults.ts';
import { leftovers, WindowsJudge } from './invariants.ts';
import type { MachineEntry } from './served-machine.ts';
import { simulatedMachines } from './simulated-machines.ts';
import { storageObjects, WindowsUser } from './user.ts';
import { Wishes } from './wishes.ts';

/** A format takes a quarter of what it is waited for, at most. */
const ENVIRONMENT = { WINDOWS_LOOK_EVERY_MS: '2500', WINDOWS_FORMAT_MS: '10000' };
const NODE = fileURLToPath(new URL('./node.process.ts', import.meta.url));

export const windows: Model = {
  name: 'windows',
  pace: { leaseMs: 4_000, settleMs: 120_000, callsInFlight: 16 },
  actEvery: { least: 50, most: 600 },
  faultEvery: { least: 200, most: 1_500 },
  tells: 'failures',
  open,
};

async function open(run: Run): Promise<Scenario> {
  const { clock, slowness, violate } = run;
  const estate = estateWith(run.passwords.of);
  const wishes = new Wishes(() => clock.now());
  let world: World | undefined;
  const get = (kind: string, name: string): KubeObject | undefined =>
    world?.follower.get(kind, name) as unknown as KubeObject | undefined;
  const judge = new WindowsJudge({ estate, wishes, get, slowness, violate });
  const onEntry = (entry: MachineEntry): void => {
    // Whatever takes long has a beginning and an end, all else is done when it is begun.
    if (entry.step === 'ended' || entry.call === 'volume.formatVolume') run.note(entry.at, entry.node, sentence(entry));
    judge.hear(entry);
  };
  const machines = await simulatedMachines({ clock, estate: estate.machines, onEntry });
  run.closing(machines.close);
  world = await run.openWorld({ name: 'processes of their own', cloudsYaml: '', cloudName: '' }, { crds: 'absent' });
  const { follower } = world;
  await installCrds(world.client, clock, () => undefined, windowsContracts);
  for (const { kind, plural } of windowsContracts) await follower.follow(resource(kind, plural));
  const user = new WindowsUser({ ...run, random: run.randomFor(1), world, estate, machines, wishes, judge });
  for (const name of ['one', 'two']) await run.addPod(world, name, { env: ENVIRONMENT });
  for (const { node } of estate.machines) {
    const own = { MACHINE_PORT: String(machines.wayOf(node).port), MACHINE_SLOWNESS: String(slowness) };
    const env = { ...ENVIRONMENT, TROUPE_ROLES: ROLE, NODE_NAME: node, ...own };
    await run.addPod(world, node, { env, program: NODE });
  }
  await user.writeSecrets();
  return {
    world,
    parts: `${estate.things.length} objects, two pods, ${estate.machines.length} machines`,
    notes: [],
    faults: windowsFaults({ ...run, machines, estate: estate.machines, locks: estate.locks, user }),
    ways: estate.machines.map(({ node }) => machines.wayOf(node)),
    kinds: windowsContracts,
    clear: machines.call.clear,
    present: () => user.present(),
    step: () => user.step(),
    changes: () => user.deeds,
    putRight: () => user.writeSecrets(),
    async unsettled() {
      const lacking = await user.completeAll();
      if (lacking.length > 0) return lacking;
      const unrest = await machines.call.unrest(storageObjects({ follower }));
      return unrest === undefined ? [] : [unrest];
    },
    async judgeSettled() {
      // What is on a disk can be read now.
      for (const volume of await machines.call.lost()) violate(`M1: what somebody has put on ${volume} is lost`);
    },
    leave: () => user.wishAllGone(),
    left: () =>
      storageObjects({ follower }).map(
        ({ kind, metadata, status }) =>
          `${kind}/${metadata.name} is not gone: ${JSON.stringify(metadata.finalizers)} ${JSON.stringify(status)}`,
      ),
    async judgeGone() {
      const sights = await machines.call.look();
      for (const left of leftovers(estate, sights)) violate(`M5: all objects are gone, and ${left}`);
    },
    judgeEnd: () => ({ ...judge.figures() }),
  };
}

function sentence({ call, step, what, identity, was, error }: MachineEntry): string {
  const about = [what, identity, was].filter((each) => each !== undefined && each !== '').join(', ');
  const end = error === undefined ? step : `failed: ${error}`;
  return `${call} of ${about} ${end}`;
}
