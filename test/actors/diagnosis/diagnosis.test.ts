// What is told of objects that have a condition Progressing, Ready alone, or neither, without an API server.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ClusterReader } from '../../../actors/diagnosis/cluster-reader.ts';
import { Diagnosis } from '../../../actors/diagnosis/diagnosis.ts';
import { type Finding, Standing } from '../../../actors/diagnosis/findings.ts';
import { registryOf } from '../../../actors/effects/operations-service.ts';
import { configure } from '../../../actors/process/adapters.ts';
import { metal3 } from '../../../adapters/ironic/mod.ts';
import { windows } from '../../../adapters/windows/mod.ts';
import type { JsonObject, KubeObject } from '../../../machines/object.ts';

const test = suite('inquiry');
const registry = registryOf([configure(windows, {}), configure(metal3, {})]);

/** Of an object with this status; whatever it refers to is not there. */
async function explained(kind: string, status: JsonObject | undefined, spec: JsonObject = {}): Promise<Finding> {
  const found = registry.kinds.find((each) => each.kind === kind);
  if (found === undefined) throw new Error(`there is no kind ${kind}`);
  const { realm, plural, group, version } = found;
  const metadata = { name: 'one', namespace: 'n', uid: 'u', resourceVersion: '1', generation: 1 };
  const object: KubeObject = { apiVersion: `${group}/${version}`, kind, metadata, spec, ...(status && { status }) };
  const reading = new ClusterReader({
    registry,
    objects: {
      get: async (resource) => (resource.kind === kind ? object : undefined),
      list: async () => ({ items: [], resourceVersion: '1', serverTime: 0 }),
    },
  });
  return new Diagnosis({ reading, registry, now: 0 }).explain({ realm, plural, namespace: 'n', name: 'one' });
}

const ready = (status: string, reason: string, message = 'as it is'): JsonObject => ({
  conditions: [{ type: 'Ready', status, reason, message, observedGeneration: 1 }],
});

test('what says all in one condition, Ready, is explained by it', async () => {
  const spec = { nodeName: 'node-1' };
  const done = await explained('WindowsStorageNode', ready('True', 'Success'), spec);
  assert.equal([done.standing, done.cause, done.available?.status], [Standing.Available, undefined, 'True']);
  const failing = await explained('WindowsStorageNode', ready('False', 'TransientError', 'no answer'), spec);
  assert.is(failing.standing, Standing.Failing);
  assert.match(failing.cause?.summary ?? '', 'no answer');
  const refused = await explained('WindowsStorageNode', ready('False', 'InvalidConfiguration', 'no such type'), spec);
  assert.is(refused.standing, Standing.Failed);
  assert.match(refused.cause?.summary ?? '', 'no such type');
  const taken = await explained('WindowsStorageNode', ready('False', 'NodeTaken', 'another has it'), spec);
  assert.is(taken.standing, Standing.Waiting);
  assert.match(taken.cause?.summary ?? '', 'another has it');
  const waiting = await explained('WindowsVolume', ready('False', 'WaitingForDependency'), { diskRef: 'disk' });
  assert.equal(
    [waiting.standing, waiting.needs.map(({ kind, name }) => `${kind}/${name}`)],
    [Standing.Waiting, ['WindowsDisk/disk']],
  );
});

test('what tells of no progress is ready when its kind says so, and has been looked at by nobody else', async () => {
  const condition = (type: string, status: string): JsonObject => ({
    type,
    status,
    reason: 'Success',
    message: '',
    observedGeneration: 1,
    lastTransitionTime: '2030-01-01T00:00:00Z',
  });
  const judged = { conditions: [condition('Valid', 'True'), condition('ChangeDetected', 'False')] };
  const done = await explained('HostFirmwareComponents', judged, { updates: [] });
  assert.equal([done.standing, done.cause], [Standing.Available, undefined]);
  for (const kind of ['WindowsStorageNode', 'HostFirmwareComponents']) {
    const unseen = await explained(kind, undefined, { nodeName: 'node-1', updates: [] });
    assert.is.not(unseen.standing, Standing.Available, kind);
  }
});

test.run();
