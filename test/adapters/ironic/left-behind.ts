// What the baremetal-operator leaves behind when it goes away: nodes as it names and marks them, Secrets as it marks them, and hosts
// with the status that it wrote last. In the middle of its work, or with work that ended when nobody looked any more.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import { type HostWorld, NAMESPACE, type Raw } from '../../world/hosts.ts';

/** What a host is left in the middle of. */
export interface Left {
  readonly state: 'inspecting' | 'provisioning' | 'provisioned' | 'deprovisioning';
  /** Of its node, when the host is left. */
  readonly node: RegExp;
  /** It goes on only when somebody lets it, or much later. */
  readonly isStalled: boolean;
  /** What comes of it. */
  readonly becomes: 'available' | 'provisioned';
}

export const LEFT: Readonly<Record<string, Left>> = {
  inspecting: { state: 'inspecting', node: /^inspect/, isStalled: true, becomes: 'available' },
  inspected: { state: 'inspecting', node: /^manageable$/, isStalled: false, becomes: 'available' },
  deploying: { state: 'provisioning', node: /^(deploying|wait call-back)$/, isStalled: true, becomes: 'provisioned' },
  deployed: { state: 'provisioning', node: /^active$/, isStalled: false, becomes: 'provisioned' },
  running: { state: 'provisioned', node: /^active$/, isStalled: false, becomes: 'provisioned' },
  wiping: { state: 'deprovisioning', node: /^clean/, isStalled: true, becomes: 'available' },
  wiped: { state: 'deprovisioning', node: /^available$/, isStalled: false, becomes: 'available' },
};

/** Where a host is left, and the machine that it has. */
export interface Leaving {
  readonly world: Pick<HostWorld, 'create' | 'merge' | 'eventually'>;
  /** Asks Ironic, as the operator did. */
  ask(method: string, path: string, body?: JsonObject): Promise<Pick<Response, 'ok' | 'status' | 'text'>>;
  readonly machine: {
    readonly mac: string;
    /** `spec.bmc.address`, of virtual media. */
    readonly address: string;
    readonly username: string;
    readonly password: string;
    /** From now on nothing ends there by itself, or much later. */
    stall(): Promise<void>;
  };
  readonly image: LeftImage;
}

/** `spec.image`. */
export type LeftImage = Readonly<Record<'url' | 'checksum' | 'checksumType' | 'format', string>>;

const FINALIZER = 'baremetalhost.metal3.io';
const BOOT = { mode: 'UEFI', capabilities: 'boot_mode:uefi' };
const PROFILE = { name: 'unknown', hints: { deviceName: '/dev/sda' }, rootDevice: { name: 's== /dev/sda' } };

/** Makes a host as it is left, `baremetalhosts/<name>` with the Secret `<name>-bmc`. */
export async function leaveBehind(leaving: Leaving, name: string, left: Left): Promise<void> {
  const { world, machine, image } = leaving;
  const { state } = left;
  const beganAt = new Date().toISOString();
  const host = await world.create(`baremetalhosts/${name}`, {
    metadata: { finalizers: [FINALIZER] },
    spec: {
      online: true,
      bootMACAddress: machine.mac,
      architecture: 'x86_64',
      bmc: { address: machine.address, credentialsName: `${name}-bmc` },
      ...(state !== 'inspecting' && { inspectionMode: 'disabled' }),
      automatedCleaningMode: state === 'deprovisioning' ? 'metadata' : 'disabled',
      ...((state === 'provisioning' || state === 'provisioned') && { image }),
    },
  });
  const secret = await world.create(`secrets/${name}-bmc`, {
    metadata: {
      labels: { 'environment.metal3.io': 'baremetal' },
      finalizers: [`${FINALIZER}/secret`],
      ownerReferences: [{ apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', name, uid: host.metadata.uid }],
    },
    type: 'Opaque',
    stringData: { username: machine.username, password: machine.password },
  });
  const node = operator(leaving, await enrolled(leaving, name));
  await node.work(left, host);
  await node.is(left.node);
  await world.merge(`baremetalhosts/${name}/status`, { status: statusOf(node.id, left, secret, image, beganAt) });
}

function statusOf(id: string, { state }: Left, secret: Raw, image: LeftImage, beganAt: string): JsonObject {
  const { name, resourceVersion } = secret.metadata;
  const credentials = { credentials: { name, namespace: NAMESPACE }, credentialsVersion: resourceVersion };
  const [ended, never] = [
    { start: beganAt, end: beganAt },
    { start: null, end: null },
  ];
  const underWay = { start: beganAt, end: null };
  const isDeployed = state === 'provisioned' || state === 'deprovisioning';
  return {
    errorCount: 0,
    errorMessage: '',
    operationalStatus: 'OK',
    provisioningFailCount: 0,
    goodCredentials: credentials,
    triedCredentials: credentials,
    hardwareProfile: PROFILE.name,
    poweredOn: isDeployed,
    lastUpdated: beganAt,
    operationHistory: {
      register: ended,
      inspect: state === 'inspecting' ? underWay : never,
      provision: state === 'provisioning' ? underWay : isDeployed ? ended : never,
      deprovision: state === 'deprovisioning' ? underWay : never,
    },
    provisioning: {
      ID: id,
      state,
      bootMode: BOOT.mode,
      rootDeviceHints: PROFILE.hints,
      image: isDeployed ? image : { url: '' },
    },
    ...(state === 'provisioning' && { lastAttemptedImage: image }),
  };
}

async function enrolled(leaving: Leaving, name: string): Promise<string> {
  const { machine } = leaving;
  const [, transport = 'https'] = /^[a-z-]+\+(https?):/.exec(machine.address) ?? [];
  const bmc = new URL(machine.address.replace(/^[^:]+/, transport));
  const { uuid } = await reported(leaving, 'POST', '/v1/nodes', {
    name: `${NAMESPACE}~${name}`,
    driver: 'redfish',
    boot_interface: 'redfish-virtual-media',
    firmware_interface: 'redfish',
    raid_interface: 'redfish',
    inspect_interface: 'agent',
    driver_info: {
      redfish_address: bmc.origin,
      redfish_system_id: bmc.pathname,
      redfish_username: machine.username,
      redfish_password: machine.password,
    },
    disable_power_off: false,
    properties: { capabilities: BOOT.capabilities, cpu_arch: 'x86_64' },
  });
  await reported(leaving, 'POST', '/v1/ports', { node_uuid: uuid ?? null, address: machine.mac, pxe_enabled: true });
  return String(uuid);
}

/** What the operator does with a node. */
function operator(leaving: Leaving, id: string) {
  const { machine, image } = leaving;
  const path = `/v1/nodes/${id}`;
  const order = (body: JsonObject): Promise<JsonObject> => reported(leaving, 'PUT', `${path}/states/provision`, body);
  const set = async (values: JsonObject): Promise<void> => {
    const patch = Object.entries(values).map(([key, value]) => ({ op: 'add', path: key, value }));
    await reported(leaving, 'PATCH', path, patch);
  };
  const is = (state: RegExp): Promise<void> =>
    leaving.world.eventually(`the node is ${state}`, async () => {
      const node = JSON.parse(await (await leaving.ask('GET', path)).text()) as JsonObject;
      const now = `${node['provision_state']}`;
      assert.not(/ failed$|^error$/.test(now), `${now}: ${node['last_error']}`);
      return state.test(now) && (node['reservation'] === null || /ing$/.test(now));
    });
  const deploy = async ({ metadata: { name, uid } }: Raw): Promise<void> => {
    await set({
      '/instance_uuid': uid,
      '/instance_info/capabilities': {},
      '/instance_info/root_device': PROFILE.rootDevice,
      '/instance_info/image_source': image.url,
      '/instance_info/image_os_hash_algo': image.checksumType,
      '/instance_info/image_os_hash_value': image.checksum,
      '/instance_info/image_disk_format': image.format,
      '/driver_info/force_persistent_boot_device': 'Default',
    });
    const names = { 'metal3-namespace': NAMESPACE, 'metal3-name': name, 'local-hostname': name, local_hostname: name };
    await order({ target: 'active', configdrive: { meta_data: { uuid: uid, ...names, name } } });
  };
  return {
    id,
    is,
    async work({ state, isStalled }: Left, host: Raw): Promise<void> {
      await order({ target: 'manage' });
      await is(/^manageable$/);
      await set({ '/automated_clean': false });
      const stall = async (): Promise<void> => (isStalled ? machine.stall() : undefined);
      if (state === 'inspecting') {
        await stall();
        await order({ target: 'inspect' });
        return;
      }
      await order({ target: 'provide' });
      await is(/^available$/);
      if (state === 'provisioning') await stall();
      await deploy(host);
      if (state !== 'deprovisioning') return;
      await is(/^active$/);
      await set({ '/automated_clean': true });
      await stall();
      await order({ target: 'deleted' });
    },
  };
}

/** Again while the node is held. */
async function reported(
  { ask, world }: Leaving,
  method: string,
  path: string,
  body: JsonObject | readonly JsonObject[],
): Promise<JsonObject> {
  let text = '';
  await world.eventually(`${method} ${path} is taken`, async () => {
    const answer = await ask(method, path, body as JsonObject);
    text = await answer.text();
    assert.ok(answer.ok || answer.status === 409, `${method} ${path} is answered ${answer.status}: ${text}`);
    return answer.ok;
  });
  return text === '' ? {} : (JSON.parse(text) as JsonObject);
}
