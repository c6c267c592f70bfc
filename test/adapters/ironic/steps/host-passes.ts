// A host and what is done for it, pass by pass, on a model of Ironic: the smallest thing that carries decisions out.

import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import { Feature } from '../../../../adapters/ironic/client/versions.ts';
import { adopt } from '../../../../adapters/ironic/steps/adoption.ts';
import { deprovision } from '../../../../adapters/ironic/steps/deprovisioning.ts';
import { type Facts, gathered } from '../../../../adapters/ironic/steps/facts.ts';
import { inspect } from '../../../../adapters/ironic/steps/inspection.ts';
import { lookUpToRemove } from '../../../../adapters/ironic/steps/lookup.ts';
import { type Memory, remembered } from '../../../../adapters/ironic/steps/node-memory.ts';
import type { Nic } from '../../../../adapters/ironic/steps/ports.ts';
import { powerOff, powerOn } from '../../../../adapters/ironic/steps/power.ts';
import { type PreparationPlan, prepare } from '../../../../adapters/ironic/steps/preparation.ts';
import { provision } from '../../../../adapters/ironic/steps/provisioning.ts';
import { register } from '../../../../adapters/ironic/steps/registration.ts';
import { remove } from '../../../../adapters/ironic/steps/removal.ts';
import { type NodeRequest, type Notes, type Step, verdictOn } from '../../../../adapters/ironic/steps/step.ts';
import type { Host } from '../../../../adapters/ironic/steps/step-host.ts';
import type { HostStatus } from '../../../../machines/bare-metal-host/host.ts';
import { patchStatus } from '../../../../machines/bare-metal-host/status.ts';
import { driverNamed, NO_RAMDISK } from './builders.ts';
import type { IronicModel } from './model.ts';

const CREDENTIALS = { credentials: { name: 'bmc', namespace: 'ns' }, credentialsVersion: '1' };
const PATCH = [
  { op: 'add', path: '/instance_uuid', value: 'uid' },
  { op: 'add', path: '/instance_info/image_source', value: 'http://image' },
] as const;

export class Lifecycle {
  host: Host;
  memory: Memory | undefined;
  nics: readonly Nic[] = [];
  plan: PreparationPlan = { cleanSteps: [], logicalDisks: [] };
  /** Requests since the last `taken`; one that is repeated is there once. */
  #log: string[] = [];
  readonly events: string[] = [];
  #facts: Facts = {};
  #notes: Notes[] = [];
  readonly #ironic: IronicModel;

  constructor(ironic: IronicModel, host: Host) {
    this.#ironic = ironic;
    this.host = host;
  }

  taken(): readonly string[] {
    const log = this.#log;
    this.#log = [];
    return log;
  }

  set state(state: string) {
    this.host = { ...this.host, status: patchStatus(this.host.status, { provisioning: { state } }) };
  }

  register(): Step {
    return this.#until(() => this.#register());
  }

  inspect(): Step {
    return this.#untilOn((node) => {
      const driver = driverNamed('redfish-virtualmedia');
      return inspect({
        host: this.host,
        node,
        facts: this.#facts,
        memory: this.memory,
        driver,
        architecture: 'x86_64',
      });
    });
  }

  prepare(isUnprepared: () => boolean): Step {
    return this.#untilOn((node) => prepare({ host: this.host, node, isUnprepared: isUnprepared(), plan: this.plan }));
  }

  provision(): Step {
    const instanceData = { patch: PATCH };
    const configDrive = { kind: 'made', configDrive: { meta_data: { name: 'one' } } } as const;
    return this.#untilOn((node) => {
      const { host, memory } = this;
      const input = { host, node, facts: this.#facts, memory, imageProblems: [], isSameImage: true };
      return provision({ ...input, instanceData, configDrive });
    });
  }

  adopt(): Step {
    return this.#untilOn((node) => adopt({ host: this.host, node }));
  }

  deprovision(): Step {
    return this.#untilOn((node) => deprovision({ host: this.host, node }));
  }

  powerOn(): Step {
    return this.#untilOn((node) => powerOn({ host: this.host, node }));
  }

  powerOff(mode: 'hard' | 'soft'): Step {
    return this.#untilOn((node) => powerOff({ host: this.host, node, mode }));
  }

  /** Without a registration, as of a host that is being deleted. */
  remove(): Step {
    return this.#until(() => {
      const looked = this.#carryOut(() => lookUpToRemove({ host: this.host, facts: this.#facts }));
      if (looked.step !== 'done') return looked;
      const { node } = looked as typeof looked & { node: IronicNode | null };
      return this.#carryOut(() => remove({ node, isForced: false, features: Object.values(Feature) }));
    });
  }

  #register(): Step {
    return this.#carryOut(() =>
      register({
        host: this.host,
        facts: this.#facts,
        memory: this.memory,
        nics: this.nics,
        driver: driverNamed('redfish-virtualmedia'),
        driverInfo: { redfish_address: 'https://bmc' },
        credentials: CREDENTIALS,
        architecture: 'x86_64',
        features: Object.values(Feature),
        ramdisk: { kind: 'set', options: { ...NO_RAMDISK, deploy_iso: 'http://iso' } },
        hasFirmwareComponents: false,
      }),
    );
  }

  /** Passes that begin with a registration. */
  #untilOn(decide: (node: IronicNode) => Step): Step {
    return this.#until(() => {
      const registered = this.#register();
      if (registered.step !== 'done') return registered;
      const { node } = registered as typeof registered & { node: IronicNode };
      return this.#carryOut(() => decide(node));
    });
  }

  /** Passes until one ends otherwise than by waiting. */
  #until(pass: () => Step): Step {
    for (let passes = 0; passes < 50; passes += 1) {
      this.#facts = {};
      const step = pass();
      for (const notes of this.#notes.splice(0)) this.#apply(notes);
      if (step.step === 'wait') this.#ironic.tick();
      else if (step.step !== 'send') return step;
      else if (step.then !== 'again') this.#ironic.tick();
    }
    throw new Error(`no end: ${this.#log.join('; ')}`);
  }

  /** Steps of one operation, until one ends the pass. */
  #carryOut(decide: () => Step): Step {
    for (let steps = 0; steps < 50; steps += 1) {
      const step = decide();
      if (step.step !== 'send') {
        if (step.step !== 'stuck' && step.step !== 'register' && step.step !== 'askOwner') this.#notes.push(step);
        return step;
      }
      const end = step.requests.map((request) => this.#send(request)).find((ends) => ends !== undefined);
      if (end !== undefined) return end;
      this.#notes.push(step);
      if (step.then !== 'onward') return step;
    }
    throw new Error(`a step that is repeated: ${this.#log.join('; ')}`);
  }

  #send(request: NodeRequest): Step | undefined {
    const line = lineOf(request);
    if (this.#log.at(-1) !== line) this.#log.push(line);
    const { status, body } = this.#ironic.call(request);
    const verdict = verdictOn(request, { status });
    if (verdict.kind === 'otherwise') return this.#send(verdict.request);
    if (verdict.kind === 'ends') return verdict.step;
    const answered = status < 300 ? body : null;
    if (request.into !== undefined) this.#facts = gathered(this.#facts, request.into, answered);
    return undefined;
  }

  #apply({ events = [], status, isErrorOver, unannotate = [], remember }: Notes): void {
    this.events.push(...events.map(({ reason }) => reason));
    const over = isErrorOver === true ? { operationalStatus: 'OK', errorType: '', errorMessage: '' } : {};
    const next: HostStatus = patchStatus(this.host.status, { ...over, ...(status as object) });
    const annotations = Object.entries(this.host.metadata?.annotations ?? {}).filter(
      ([key]) => !unannotate.includes(key),
    );
    const metadata = { ...this.host.metadata, annotations: Object.fromEntries(annotations) };
    this.host = { ...this.host, metadata, status: next };
    if (remember !== undefined) this.memory = remembered(this.memory, remember);
  }
}

/** Of a patch its paths, of a change its target; of new things nothing more. */
function lineOf({ method, path, query, body }: NodeRequest): string {
  const where = path.replace('/v1/nodes/', '').replace(/^0{8}-0{4}-4000-8000-0*/, 'N');
  const { fields: _, ...filter } = query ?? {};
  const which = Object.entries(filter).map(([name, value]) => `?${name}=${value}`);
  const what = Array.isArray(body)
    ? [` ${body.map((operation) => `${operation.op} ${operation.path}`).join(', ')}`]
    : method === 'PUT'
      ? [` ${JSON.stringify(body)}`]
      : [];
  return [`${method} ${where}`, ...which, ...what].join('');
}
