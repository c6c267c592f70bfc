// The hand of ORC: what it writes of an object that is up to date, each field by the
// manager that owns it there.
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../bus/mod.ts';
import type { Raw } from '../world/watched-objects.ts';
import { CREDENTIALS, type Kind, type World } from '../world/world.ts';

const GROUP = 'openstack.k-orc.cloud';
const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const LONG_AGO = '2026-01-02T03:04:05Z';

/** What else ORC says of some kinds, beside conditions and what was observed. */
export interface Settled {
  /** `status.id`; none for a role assignment. */
  readonly id?: string | undefined;
  /** `status.resource`; none for an interface. */
  readonly resource?: JsonObject | undefined;
}

const controllerOf = (kind: string): string => `${GROUP}/${kind.toLowerCase()}controller`;
const finalizerOf = (kind: string): string => `${GROUP}/${kind.toLowerCase()}`;
const statusManagerOf = (kind: string): string =>
  `${controllerOf(kind)}/${kind === 'RouterInterface' ? 'finalizer' : 'status'}`;

/** Writes what is up to date with the object as it is stored now. */
export async function settleAsOrc(world: World, kind: Kind, name: string, { id, resource }: Settled): Promise<void> {
  const { uid, generation } = (await world.read(kind, name))?.metadata ?? { uid: '', generation: 0 };
  await ownAsOrc(world, kind, name, uid);
  if (id !== undefined) await record(world, kind, name, { metadata: { uid }, status: { id } });
  const common = { observedGeneration: generation, lastTransitionTime: LONG_AGO, reason: 'Success' };
  const conditions = [
    { type: 'Available', status: 'True', message: 'OpenStack resource is available', ...common },
    { type: 'Progressing', status: 'False', message: 'OpenStack resource is up to date', ...common },
  ];
  const status = { conditions, ...(resource && { resource }), lastSyncTime: LONG_AGO };
  await apply(world, kind, name, { manager: statusManagerOf(kind), suffix: '/status', body: { status } });
  if (kind === 'Image') {
    const downloading = { type: 'Downloading', status: 'False', message: 'Data saved', ...common };
    const body = { status: { conditions: [downloading], downloadAttempts: 1 } };
    await apply(world, kind, name, { manager: `${controllerOf(kind)}/downloadingstatus`, suffix: '/status', body });
  }
  const { passwordRef } = await resourceIn(world, kind, name);
  if (kind === 'User' && passwordRef !== undefined)
    await record(world, kind, name, { status: { resource: { appliedPasswordRef: passwordRef } } });
}

/** The guards of ORC's controller of a kind on an object that one of its objects refers to. */
export async function guardAsOrc(world: World, kind: Kind, name: string, ...by: readonly string[]): Promise<void> {
  const uid = (await world.read(kind, name))?.metadata.uid ?? '';
  for (const guard of by) {
    const [of = guard] = guard.split('-');
    await apply(world, kind, name, { manager: controllerOf(of), body: finalizers(world, name, uid, guard) });
  }
}

/** Guards on all that an object refers to, its credentials included. */
export async function guardAllAsOrc(world: World, { kind, spec }: Pick<Raw, 'kind' | 'spec'>): Promise<void> {
  for (const { to, name, guard } of guardedBy(kind, spec)) await guardAsOrc(world, to, name, guard);
}

/**
 * Whether ORC, come back, would find the object as it left it: says all that it says of one that is up to date, under its own
 * managers and with what the object shows. Nothing may change by that, neither a field nor whose it is.
 */
export async function saidByOrc(world: World, object: Raw): Promise<void> {
  const { kind, metadata, spec, status = {} } = object;
  const { name, uid, resourceVersion } = metadata;
  const { id: _, conditions = [], resource, ...rest } = status as JsonObject & NonNullable<Raw['status']>;
  const { downloadAttempts: __, ...synced } = rest as JsonObject;
  const { appliedPasswordRef: ___, ...observed } = resource ?? {};
  const own = conditions.filter(({ type }) => type !== 'Downloading') as unknown as Json;
  const shown = { ...synced, conditions: own, ...(resource && { resource: observed }) };
  await ownAsOrc(world, kind as Kind, name, uid);
  const manager = statusManagerOf(kind);
  await apply(world, kind as Kind, name, { manager, suffix: '/status', body: { status: shown } });
  await guardAllAsOrc(world, object);
  assert.equal(await world.read(kind as Kind, name), { ...object, kind }, `${kind}/${name} as ORC would say it`);
  assert.is((await world.read(kind as Kind, name))?.metadata.resourceVersion, resourceVersion);
  ownedAlone(object, spec);
}

/** What ORC withdraws goes, and what it does not say stays: nobody else owns a finalizer, and no apply the id. */
function ownedAlone({ kind, metadata, status }: Raw, spec: JsonObject): void {
  const { name, managedFields = [], finalizers: carried = [] } = metadata;
  const owners = (path: readonly string[]): readonly string[] =>
    managedFields
      .filter(({ fieldsV1 }) => path.reduce<unknown>((fields, part) => (fields as JsonObject)?.[part], fieldsV1))
      .map(({ manager, operation }) => `${operation} ${manager}`);
  for (const finalizer of carried) {
    const guard = finalizer.replace(`${GROUP}/`, '');
    const by =
      guard === kind.toLowerCase() ? `${controllerOf(kind)}/finalizer` : controllerOf(guard.split('-')[0] ?? '');
    assert.equal(
      owners(['f:metadata', 'f:finalizers', `v:"${finalizer}"`]),
      [`Apply ${by}`],
      `${finalizer} of ${name}`,
    );
  }
  const recorded = [
    ...(status?.id === undefined ? [] : [['f:status', 'f:id']]),
    ...(kind === 'User' && (spec['resource'] as JsonObject | undefined)?.['passwordRef'] !== undefined
      ? [['f:status', 'f:resource', 'f:appliedPasswordRef']]
      : []),
  ];
  for (const path of recorded) {
    const [first = '', ...more] = owners(path);
    assert.ok(first.startsWith('Update ') && more.length === 0, `${path.join()} of ${kind}/${name}: ${first} ${more}`);
  }
}

/** References that hold nothing (openstack-common, 12.2). */
const UNGUARDED: Readonly<Record<string, readonly string[]>> = {
  ApplicationCredential: ['secretRef'],
  Port: ['serverRef'],
  Server: ['flavorRef', 'serverGroupRef', 'keypairRef', 'secretRef'],
  User: ['passwordRef'],
  Volume: ['imageRef'],
};
const KIND_OF: Readonly<Record<string, Kind>> = {
  floatingNetworkRef: 'Network',
  floatingSubnetRef: 'Subnet',
  defaultProjectRef: 'Project',
};

interface Guarded {
  readonly to: Kind;
  readonly name: string;
  readonly guard: string;
}

function guardedBy(kind: string, spec: JsonObject): readonly Guarded[] {
  const found: Guarded[] = [];
  const guard = kind.toLowerCase();
  const look = (value: Json | undefined, of: string): void => {
    if (Array.isArray(value)) for (const item of value as readonly Json[]) look(item, of);
    else if (typeof value === 'object' && value !== null) {
      for (const [field, member] of Object.entries(value as JsonObject)) {
        const [, stem = ''] = /^(.*)Refs?$/.exec(field) ?? [];
        if (stem === '') look(member, field);
        else if (UNGUARDED[kind]?.includes(field) !== true) {
          const to = KIND_OF[field] ?? (`${stem.charAt(0).toUpperCase()}${stem.slice(1)}` as Kind);
          const names = Array.isArray(member) ? (member as readonly string[]) : [String(member)];
          for (const name of names) found.push({ to, name, guard: of === 'subports' ? 'trunk-subport' : guard });
        }
      }
    }
  };
  // Of what is imported nothing is held.
  look(kind === 'RouterInterface' ? spec : spec['resource'], '');
  if (kind !== 'RouterInterface') found.push({ to: 'Secret', name: CREDENTIALS, guard });
  return found;
}

function ownAsOrc(world: World, kind: Kind, name: string, uid: string): Promise<void> {
  return apply(world, kind, name, {
    manager: `${controllerOf(kind)}/finalizer`,
    body: finalizers(world, name, uid, kind.toLowerCase()),
  });
}

function finalizers(world: World, name: string, uid: string, ...of: readonly string[]): JsonObject {
  return { metadata: { name, namespace: world.namespace, uid, finalizers: of.map(finalizerOf) } };
}

async function apply(
  world: World,
  kind: Kind,
  name: string,
  { manager, suffix = '', body }: { readonly manager: string; readonly suffix?: string; readonly body: JsonObject },
): Promise<void> {
  const apiVersion = kind === 'Secret' ? 'v1' : `${GROUP}/v1alpha1`;
  await world.client.call({
    method: 'PATCH',
    path: `${world.path(kind, name)}${suffix}?fieldManager=${encodeURIComponent(manager)}&force=true`,
    contentType: APPLY,
    body: { apiVersion, kind, metadata: { name, namespace: world.namespace }, ...body },
  });
}

async function record(world: World, kind: Kind, name: string, body: JsonObject): Promise<void> {
  const path = `${world.path(kind, name)}/status?fieldManager=orc`;
  await world.client.call({ method: 'PATCH', path, contentType: MERGE, body });
}

async function resourceIn(world: World, kind: Kind, name: string): Promise<JsonObject> {
  return ((await world.read(kind, name))?.spec['resource'] ?? {}) as JsonObject;
}
