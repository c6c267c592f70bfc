// Whose it is what is done something to, when two tenants have objects on one machine.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { simulatedClock } from '../../../world/clock.ts';
import type { MachineChange } from './machines.ts';
import { Tenancy } from './tenancy.ts';

const test = suite('tenancy of Windows storage');

const SHARE = '\\\\srv1\\team';
const ready = (reason = 'Success') => [{ type: 'Ready', status: 'True', reason, observedGeneration: 1 }];

function object(kind: string, namespace: string, given: object): KubeObject {
  const metadata = { name: 'one', namespace, uid: `${kind}-${namespace}`, generation: 1 };
  return { apiVersion: 'v1', kind, metadata, ...given } as unknown as KubeObject;
}

const mapping = (namespace: string, status: JsonObject = {}): KubeObject =>
  object('SmbMapping', namespace, {
    spec: { remotePath: SHARE },
    status: { root: SHARE, machine: 'serial-win1', ...status },
  });

const node = (namespace: string, nodeName = 'win1'): KubeObject =>
  object('WindowsStorageNode', namespace, { spec: { nodeName }, status: { nodeName, conditions: ready() } });

async function world(...objects: readonly KubeObject[]) {
  const violations: string[] = [];
  const memory = await memoryMachine({ clock: simulatedClock() });
  const machine = { node: 'win1', memory, formatting: new Set<string>() };
  const cluster = {
    objects: (plural: string) => objects.filter(({ kind }) => `${kind.toLowerCase()}s` === plural),
    get: () => undefined,
  };
  const tenancy = new Tenancy({ cluster: cluster as never, violate: (_, text) => void violations.push(text) });
  const change = (call: string, of: KubeObject, ...args: readonly unknown[]): MachineChange => ({
    pod: 'pod',
    machine,
    call,
    args,
    caller: { plural: `${of.kind.toLowerCase()}s`, operation: 'make', object: of },
  });
  return { tenancy, change, violations };
}

test('what one namespace has mapped is neither mapped, removed nor linked to for another one (S8)', async () => {
  const [first, second] = [mapping('a', { madeBy: 'SmbMapping-a' }), mapping('b')];
  const { tenancy, change, violations } = await world(first, second);
  tenancy.onDone(change('smb.newSmbGlobalMapping', first, { root: SHARE }));
  for (const call of ['newSmbGlobalMapping', 'removeSmbGlobalMapping', 'newSmbLink'])
    tenancy.onBegun(change(`smb.${call}`, first, call === 'newSmbGlobalMapping' ? { root: SHARE } : SHARE, SHARE));
  assert.equal(violations, []);
  tenancy.onBegun(change('smb.newSmbGlobalMapping', second, { root: SHARE }));
  tenancy.onBegun(change('smb.removeSmbGlobalMapping', second, SHARE));
  tenancy.onBegun(change('smb.newSmbLink', second, 'C:\\data', `${SHARE}\\deep`));
  assert.is(violations.length, 3);
});

test('of what nobody has on record any more anybody may take care', async () => {
  const [first, second] = [mapping('a'), mapping('b')];
  const { tenancy, change, violations } = await world(first, second);
  tenancy.onDone(change('smb.newSmbGlobalMapping', first, { root: SHARE }));
  tenancy.onBegun(change('smb.removeSmbGlobalMapping', second, SHARE));
  assert.equal(violations, []);
});

test("nobody finds in the end what is another namespace's (S8)", async () => {
  const found = mapping('b', { conditions: ready('Found') });
  const first = mapping('a', { madeBy: 'SmbMapping-a' });
  const { tenancy, change, violations } = await world(first, found);
  tenancy.judgeFound();
  assert.equal(violations, []);
  tenancy.onDone(change('smb.newSmbGlobalMapping', first, { root: SHARE }));
  tenancy.judgeFound();
  assert.is(violations.length, 1);
});

test('a machine is that of who took its name first, until that gives it up (S8)', async () => {
  const objects = [node('a'), node('b')];
  const { tenancy, violations } = await world(...objects);
  for (const each of objects) tenancy.onChange(each);
  assert.is(violations.length, 1);
  const [, second] = objects as [KubeObject, KubeObject];
  const other = await world(node('a', 'win2'), second);
  for (const each of [node('a'), node('a', 'win2'), second]) other.tenancy.onChange(each);
  assert.equal(other.violations, []);
});

test.run();
