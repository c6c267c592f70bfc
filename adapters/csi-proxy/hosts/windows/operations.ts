// Operations of the worker, by name: arguments, and results that are validated on arrival.
import { Code, StatusError } from '../../base/status.ts';
import type { ChapLogin, Portal } from '../host.ts';

/** Disks, partitions and volumes: all of the machine, or those of one disk after it has changed. */
export interface StorageRows {
  readonly disks: readonly DiskRow[];
  readonly partitions: readonly PartitionRow[];
  readonly volumes: readonly VolumeRow[];
}

export interface DiskRow {
  readonly number: number;
  readonly location: string;
  readonly serialNumber: string;
  readonly sizeBytes: bigint;
  readonly isRaw: boolean;
  /** GUID of a partition table of the kind GPT, or empty. */
  readonly table: string;
  readonly isOffline: boolean;
  readonly isReadOnly: boolean;
}

export interface PartitionRow {
  readonly disk: number;
  readonly number: number;
  readonly gptType: string;
  /** The id of its volume among them, and where that is mounted. */
  readonly accessPaths: readonly string[];
}

export interface VolumeRow {
  readonly id: string;
  /** 0: none that Windows knows. */
  readonly fileSystemType: number;
  readonly sizeBytes: bigint;
  readonly remainingBytes: bigint;
}

export interface IdentifierRow {
  readonly disk: number;
  /** STORAGE_DEVICE_ID_DESCRIPTOR, or why there is none. */
  readonly descriptor: Uint8Array;
  readonly failure: string;
}

export interface Mount {
  readonly volumeId: string;
  readonly path: string;
}

/** Error of Windows. */
export interface Failure {
  /** `absent`, `state` (something must change first) or another. */
  readonly kind: string;
  readonly message: string;
}

interface Takes<Arguments, Answer> {
  readonly arguments: Arguments;
  readonly answer: Answer;
}

type OfVolume = { readonly volumeId: string };
type OfTarget = Portal & { readonly iqn: string };
type OfService = { readonly name: string };

export interface Operations {
  listStorage: Takes<object, StorageRows>;
  listIdentifiers: Takes<object, readonly IdentifierRow[]>;
  rescan: Takes<object, undefined>;
  initializeDisk: Takes<{ readonly disk: number }, StorageRows>;
  createPartition: Takes<{ readonly disk: number }, StorageRows>;
  setDiskState: Takes<{ readonly disk: number; readonly isOnline: boolean }, StorageRows>;
  /** An answer for each mount, in order. */
  mountVolumes: Takes<{ readonly mounts: readonly Mount[] }, readonly (Failure | undefined)[]>;
  unmountVolume: Takes<OfVolume & { readonly path: string }, undefined>;
  mountedVolume: Takes<{ readonly path: string }, string | undefined>;
  flushVolume: Takes<OfVolume, undefined>;
  formatVolume: Takes<OfVolume, StorageRows>;
  partitionSizes: Takes<OfVolume, { readonly currentBytes: bigint; readonly largestBytes: bigint }>;
  /** The size is text: JSON has no numbers of 64 bits. */
  resizePartition: Takes<OfVolume & { readonly sizeBytes: string }, StorageRows>;
  smbMapping: Takes<{ readonly root: string }, number | undefined>;
  newSmbMapping: Takes<
    {
      readonly root: string;
      readonly username: string;
      readonly password: string;
      readonly requirePrivacy: boolean;
    },
    undefined
  >;
  removeSmbMapping: Takes<{ readonly root: string }, undefined>;
  listPortals: Takes<object, readonly Portal[]>;
  addPortal: Takes<Portal, undefined>;
  removePortal: Takes<Portal, undefined>;
  listTargets: Takes<Portal, readonly string[]>;
  connectTarget: Takes<OfTarget & ChapLogin, undefined>;
  disconnectTarget: Takes<OfTarget, undefined>;
  targetDisks: Takes<OfTarget, readonly number[]>;
  setChapSecret: Takes<{ readonly secret: string }, undefined>;
  biosSerialNumber: Takes<object, string>;
  getService: Takes<OfService, { readonly displayName: string; readonly startMode: string; readonly state: string }>;
  /** A return code of Win32_Service. */
  startService: Takes<OfService, number>;
  stopService: Takes<OfService, number>;
  runningDependents: Takes<OfService, readonly string[]>;
}

export type OperationName = keyof Operations;
export type ArgumentsOf<Name extends OperationName> = Operations[Name]['arguments'];
export type AnswerOf<Name extends OperationName> = Operations[Name]['answer'];

const KINDS: ReadonlyMap<string, Code> = new Map([
  ['absent', Code.NotFound],
  ['state', Code.FailedPrecondition],
]);

const nothing = (): undefined => undefined;

/** Readers of the operations' results. All throw TypeError for invalid ones. */
export const ANSWERS: { readonly [Name in OperationName]: (value: unknown) => AnswerOf<Name> } = {
  listStorage: storageRows,
  listIdentifiers: (value) =>
    list(value, 'identifiers').map((row) => ({
      disk: number(row, 'disk'),
      descriptor: Buffer.from(text(row, 'descriptor'), 'base64'),
      failure: text(row, 'failure'),
    })),
  rescan: nothing,
  initializeDisk: storageRows,
  createPartition: storageRows,
  setDiskState: storageRows,
  mountVolumes: (value) => list(value, 'failures').map((row) => (field(row, 'kind') === '' ? undefined : failure(row))),
  unmountVolume: nothing,
  mountedVolume: (value) => (field(value, 'volumeId') === null ? undefined : text(value, 'volumeId')),
  flushVolume: nothing,
  formatVolume: storageRows,
  partitionSizes: (value) => ({
    currentBytes: bytes(value, 'currentBytes'),
    largestBytes: bytes(value, 'largestBytes'),
  }),
  resizePartition: storageRows,
  smbMapping: (value) => (field(value, 'status') === null ? undefined : number(value, 'status')),
  newSmbMapping: nothing,
  removeSmbMapping: nothing,
  listPortals: (value) =>
    list(value, 'portals').map((row) => ({ address: text(row, 'address'), port: number(row, 'port') })),
  addPortal: nothing,
  removePortal: nothing,
  listTargets: (value) => texts(value, 'iqns'),
  connectTarget: nothing,
  disconnectTarget: nothing,
  targetDisks: (value) => list(value, 'disks').map((disk) => checked(disk, 'number', 'disks')),
  setChapSecret: nothing,
  biosSerialNumber: (value) => text(value, 'serialNumber'),
  getService: (value) => ({
    displayName: text(value, 'displayName'),
    startMode: text(value, 'startMode'),
    state: text(value, 'state'),
  }),
  startService: (value) => number(value, 'code'),
  stopService: (value) => number(value, 'code'),
  runningDependents: (value) => texts(value, 'names'),
};

/** @throws {TypeError} it is none */
export function failure(value: unknown): Failure {
  return { kind: text(value, 'kind'), message: text(value, 'message') };
}

export function failureError({ kind, message }: Failure): StatusError {
  return new StatusError(KINDS.get(kind) ?? Code.Unknown, message);
}

function storageRows(value: unknown): StorageRows {
  return {
    disks: list(value, 'disks').map((row) => ({
      number: number(row, 'number'),
      location: text(row, 'location'),
      serialNumber: text(row, 'serialNumber'),
      sizeBytes: bytes(row, 'sizeBytes'),
      isRaw: checked(field(row, 'isRaw'), 'boolean', 'isRaw'),
      table: text(row, 'table').toLowerCase(),
      isOffline: checked(field(row, 'isOffline'), 'boolean', 'isOffline'),
      isReadOnly: checked(field(row, 'isReadOnly'), 'boolean', 'isReadOnly'),
    })),
    partitions: list(value, 'partitions').map((row) => ({
      disk: number(row, 'disk'),
      number: number(row, 'number'),
      gptType: text(row, 'gptType').toLowerCase(),
      accessPaths: texts(row, 'accessPaths'),
    })),
    volumes: list(value, 'volumes').map((row) => ({
      id: text(row, 'id'),
      fileSystemType: number(row, 'fileSystemType'),
      sizeBytes: bytes(row, 'sizeBytes'),
      remainingBytes: bytes(row, 'remainingBytes'),
    })),
  };
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) throw new TypeError(`the worker answered without '${name}'`);
  return (value as Record<string, unknown>)[name];
}

interface Primitives {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
}

function checked<Type extends keyof Primitives>(value: unknown, type: Type, name: string): Primitives[Type] {
  if (typeof value !== type) throw new TypeError(`the worker answered '${name}' that is no ${type}`);
  return value as Primitives[Type];
}

function text(value: unknown, name: string): string {
  return checked(field(value, name), 'string', name);
}

function number(value: unknown, name: string): number {
  return checked(field(value, name), 'number', name);
}

function bytes(value: unknown, name: string): bigint {
  return BigInt(text(value, name));
}

function list(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name);
  if (!Array.isArray(found)) throw new TypeError(`the worker answered '${name}' that is no list`);
  return found;
}

function texts(value: unknown, name: string): readonly string[] {
  return list(value, name).map((item) => checked(item, 'string', name));
}
