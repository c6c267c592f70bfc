// What is on machines before anybody has objects there: sessions, mappings and mounts that somebody else has made.
import { type Beforehand, type Estate, PASSWORD, PORTAL, SERVICE, USERNAME } from './estate.ts';
import { type SimulatedMachine, seenOn, volumesOf } from './machines.ts';

/** @returns what stands there now by these names: a mount is made only where the machine has something to mount */
export async function makeBeforehand(
  { what, name, node }: Beforehand,
  { memory }: SimulatedMachine,
  { nodes }: Pick<Estate, 'nodes'>,
): Promise<readonly string[]> {
  const { host } = memory;
  if (what === 'mapping') {
    await host.smb.newSmbGlobalMapping({ root: name, username: USERNAME, password: PASSWORD, encryption: 'required' });
    return [name];
  }
  if (what === 'mount') {
    const shown = (await seenOn(memory)).filter(([, { state }]) => state === 'online');
    const [volumeID] = shown.flatMap(([, disk]) => volumesOf(disk));
    if (volumeID === undefined) return [];
    await host.filesystem.mkdir(name);
    await host.volume.mountVolume(volumeID, name);
    return [name];
  }
  const target = nodes.find((each) => each.name === node)?.targets.find(({ iqn }) => iqn === name);
  const chap = { authentication: 'ONEWAYCHAP', username: USERNAME, secret: PASSWORD } as const;
  await host.system.startService(SERVICE);
  await host.iscsi.addTargetPortal(PORTAL);
  await host.iscsi.discoverTargetPortal(PORTAL);
  await host.iscsi.connectTarget(
    PORTAL,
    name,
    target?.hasChap === true ? chap : { authentication: 'NONE', username: '', secret: '' },
  );
  return [name, PORTAL.address];
}
