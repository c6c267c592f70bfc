// Deployment of an image to a machine's disk, or of none, and its removal.
import type { JsonObject } from '../../../bus/json.ts';
import { clean } from './cleaning.ts';
import type { Conductor } from './conductor.ts';
import { asObject } from './exchange.ts';
import { usesAgent } from './hardware-types.ts';
import { Deed, type Machine } from './machines.ts';
import type { Item, NodeRecord, Work } from './records.ts';
import type { Step } from './steps.ts';

export interface Deployment {
  readonly configDrive: JsonObject | string | null;
  /** Asked for beside the driver's own. */
  readonly steps: readonly Step[];
}

/** Why a node cannot be deployed to; undefined: it can. */
export function deployProblem(item: Item): string | undefined {
  const info = asObject(item['instance_info']) ?? {};
  const deploy = item['deploy_interface'];
  const { image_source: source, image_checksum: checksum, boot_iso: iso } = info;
  const hash = info['image_os_hash_algo'] !== undefined && info['image_os_hash_value'] !== undefined;
  if (deploy === 'fake' || deploy === 'custom-agent' || (deploy === 'ramdisk' && iso !== undefined)) return undefined;
  if (source === undefined && (deploy === 'ramdisk' || iso === undefined)) {
    const what = "Some parameters were missing. Missing are: ['instance_info.image_source']";
    return `Node ${item['uuid']} failed to validate deploy image info. ${what}`;
  }
  if (
    deploy === 'direct' &&
    iso === undefined &&
    checksum === undefined &&
    !hash &&
    !String(source).startsWith('oci://')
  ) {
    const what = 'image_source\'s "image_checksum", or "image_os_hash_algo" and "image_os_hash_value" must be provided';
    return `${what} in instance_info for node ${item['uuid']}`;
  }
  return undefined;
}

/** From deploying to active, or to deploy failed. */
export function* deploy(record: NodeRecord, conductor: Conductor, { configDrive, steps }: Deployment): Work {
  const { item } = record;
  const { times, records } = conductor;
  const info = asObject(item['instance_info']) ?? {};
  const fail = (message: string): void => {
    records.fail(record, message, 'deploying');
    item['deploy_step'] = {};
    conductor.move(record, 'deploy failed');
    conductor.unlock(record);
  };
  if (!usesAgent(item)) yield times.fakeMs;
  else {
    const href = String(info['image_source'] ?? info['boot_iso'] ?? '');
    yield times.bmcMs;
    const image = href === '' ? {} : conductor.image(href);
    if (image === 'missing') {
      const why = 'Got HTTP code 404 instead of 200 in response to HEAD request.';
      fail(`Failed to prepare to deploy: Validation of image href ${href} failed, reason: ${why}`);
      return;
    }
    const error = yield* conductor.bootRamdisk(record);
    if (error !== undefined) {
      fail(`Failed to prepare to deploy: ${error}`);
      return;
    }
    // It was reached just now; its agent writes as instructed, whether the BMC answers by then or not.
    const machine = conductor.machineOf(record);
    if (
      item['deploy_interface'] === 'ramdisk' ||
      (info['image_source'] === undefined && info['boot_iso'] !== undefined)
    ) {
      if (machine !== undefined) Object.assign(machine, { running: `media ${href}` });
      machine?.note(Deed.Deployed, item['uuid'], href);
    } else {
      conductor.move(record, 'wait call-back');
      conductor.unlock(record);
      if (!(yield* conductor.awaitAgent(record, true))) {
        fail(`Timeout reached while waiting for callback for node ${item['uuid']}`);
        return;
      }
      conductor.move(record, 'deploying');
      yield times.betweenMs;
      const writing = item['deploy_interface'] === 'custom-agent' ? steps.map(({ step }) => step) : ['write_image'];
      for (const step of writing) {
        item['deploy_step'] = { interface: 'deploy', step, priority: 80, abortable: false };
        conductor.move(record, 'wait call-back');
        conductor.unlock(record);
        yield times.stepMs;
        conductor.lock(record);
        conductor.move(record, 'deploying');
        yield times.betweenMs;
        const failed = writeTo(machine, step, { item, info, configDrive, conductor });
        if (failed !== undefined) {
          fail(`Deploy step deploy.${step} failed on node ${item['uuid']}. ${failed}`);
          // Switching the machine off clears the message: only the history has it.
          item['last_error'] = null;
          conductor.lock(record);
          yield times.powerMs;
          conductor.switch(record, 'power off');
          conductor.unlock(record);
          return;
        }
      }
      item['deploy_step'] = {};
      yield times.finishMs;
      conductor.switch(record, 'power off');
      const switched = conductor.switch(record, 'power on');
      if (switched !== undefined) {
        fail(`Error changing power state: ${switched}`);
        return;
      }
    }
  }
  item['deploy_step'] = {};
  conductor.move(record, 'active');
  conductor.unlock(record);
}

interface Writing {
  readonly item: Item;
  readonly info: JsonObject;
  readonly configDrive: Deployment['configDrive'];
  readonly conductor: Conductor;
}

/** Writes the disk. @returns why not */
function writeTo(
  machine: Machine | undefined,
  step: string,
  { item, info, configDrive, conductor }: Writing,
): string | undefined {
  const failing = machine?.behavior.failingSteps ?? {};
  if (Object.hasOwn(failing, step)) return failing[step];
  const source = String(info['image_source'] ?? step);
  const given = info['image_os_hash_value'] ?? info['image_checksum'] ?? null;
  const checksum = given === null ? null : String(given);
  const image = conductor.image(source);
  const algorithm = String(info['image_os_hash_algo'] ?? algorithmOf(checksum ?? ''));
  const actual = image !== 'missing' && Object.hasOwn(image, algorithm) ? image[algorithm] : undefined;
  if (step === 'write_image' && actual !== undefined && actual !== checksum && !/^https?:/.test(checksum ?? '')) {
    const name = source.split('/').at(-1);
    const against = `against checksum ${checksum}, actual checksum ${actual}`;
    return `Error verifying image checksum: image ${name} failed to verify ${against}`;
  }
  if (machine === undefined) return undefined;
  const instance = item['instance_uuid'] ?? null;
  const at = conductor.records.agenda.now();
  machine.disk = { image: source, checksum, at, configDrive, instance: instance === null ? null : String(instance) };
  machine.note(Deed.Deployed, item['uuid'], source);
  return undefined;
}

function algorithmOf(checksum: string): string {
  return { 32: 'md5', 64: 'sha256', 128: 'sha512' }[checksum.length] ?? 'none';
}

/** From deleting by way of cleaning to available. */
export function* tearDown(record: NodeRecord, conductor: Conductor): Work {
  const { item } = record;
  yield usesAgent(item) ? conductor.times.tearDownMs : conductor.times.fakeMs;
  const error = usesAgent(item) ? conductor.switch(record, 'power off') : undefined;
  Object.assign(item, { instance_info: {}, instance_uuid: null, instance_name: null, deploy_step: {} });
  if (error !== undefined) {
    conductor.records.fail(record, `Failed to tear down: ${error}`, 'unprovision');
    conductor.move(record, 'error');
    conductor.unlock(record);
    return;
  }
  conductor.move(record, 'cleaning');
  yield* clean(record, conductor, 'available');
}
