// WindowsVolume: a volume of a disk. What is on it is kept.
//
// Invariants:
//   WIN-KINDS-WINDOWS-VOLUME-1. A format is on record before it is asked for, and stays there until it is known how it ended. While it is there no other
//       one is asked for: it is looked whether it has come to its end.
//   WIN-KINDS-WINDOWS-VOLUME-2. Under IfRaw only volumes of a disk that was seen raw, and never with a file system, are formatted; under Never none.
//   WIN-KINDS-WINDOWS-VOLUME-3. What was ever seen with a file system, by this object or on this disk, is never formatted, unless the object says that just
//       that file system may be lost; what is made then is another one, for which that was not said.
//   WIN-KINDS-WINDOWS-VOLUME-4. A volume is ready only when its disk has on record that it has a file system.
import type { Json, JsonObject } from '../../../bus/json.ts';
import type { ErrorData, KubeObject } from '../../../machines/object.ts';
import type { DeclaredKind } from '../../api/adapter.ts';
import { isReady, READY, Reason, timeOf, unready, type Verdict } from '../conditions.ts';
import { DISCARD, isGivenUp, latestOf, madeAt, seenIn, seenOn } from '../file-systems.ts';
import type { WindowsOptions } from '../options.ts';
import { READ_ONLY_TODO } from '../read-only.ts';
import { listOf, mapOf, numberOf, said, textOf, wordOf } from '../values.ts';
import { finalizerOf, isUntaken, type Kept, type WindowsPass, windowsKind } from './windows-kind.ts';

const KIND = 'WindowsVolume';
/** Polling interval of a format whose end is not reported, in milliseconds. */
const FORMAT_LOOK_MS = 2_000;

export function windowsVolume({ lookEveryMs, formatMs }: WindowsOptions): DeclaredKind {
  return windowsKind({
    kind: KIND,
    plural: 'windowsvolumes',
    operations: ['look', 'format', 'resize', 'flush'],
    references: ({ spec, status }) => [
      {
        kind: 'WindowsDisk',
        name: textOf(spec?.['diskRef']),
        finalizers: [finalizerOf(KIND)],
        neededFor: 'always',
        fixed: true,
        // The disk looks at once, and knows it from then on.
        ...(status?.['fileSystem'] !== undefined && { attributes: { fileSystems: [status['fileSystem']] } }),
      },
    ],
    attributes: ({ status = {} }) => said({ volumeID: status['volumeID'], identity: status['identity'] }),
    keep: (pass) => keep(pass, { lookEveryMs, formatMs }),
    async takeDown({ object: { status = {} }, ask }) {
      await ask('flush', said({ identity: status['identity'], volumeID: status['volumeID'] }));
    },
    hasAny: ({ status }) => status?.['volumeID'] !== undefined,
  });
}

/** Input of an attempt. */
interface Found {
  readonly status: Readonly<Record<string, Json | undefined>>;
  readonly identity: string;
  readonly volumeID: string;
  readonly diskBytes: number;
  /** When a file system was seen there last; undefined: never. */
  readonly seenAt: string | undefined;
}

async function keep(pass: WindowsPass, times: Pick<WindowsOptions, 'lookEveryMs' | 'formatMs'>): Promise<Kept> {
  const { object, ports, ask, attributesOf } = pass;
  const disk = attributesOf('WindowsDisk');
  const { formattedBy, format, grown } = object.status ?? {};
  const identity = textOf(disk['identity']);
  const before = { identity, formattedBy, format, grown, fileSystem: fileSystemOf(object, ports.now()) };
  const look = await ask('look', { identity });
  const [volume, other] = listOf(look['volumes']).map(mapOf);
  if (volume === undefined) {
    const verdict = unready(Reason.VolumeAbsent, 'the disk has no such volume: it is offline, or has no partition');
    return { status: said(before), verdict, lookAgainMs: times.lookEveryMs };
  }
  if (other !== undefined) {
    const verdict = unready(
      Reason.AmbiguousVolume,
      'the disk has several volumes: partitionNumber says which is meant',
    );
    return { status: said(before), verdict, lookAgainMs: times.lookEveryMs };
  }
  const volumeID = textOf(volume['id']);
  const present = listOf(look['present']).map(textOf);
  const onDisk = seenOn(seenIn(disk['fileSystems']), volumeID, present);
  const own = wordOf(mapOf(before.fileSystem)['seenAt']);
  const seenAt = latestOf(own, onDisk);
  const diskBytes = numberOf(look['diskBytes']) ?? 0;
  const found: Found = { status: { ...before, volumeID }, identity, volumeID, diskBytes, seenAt };
  return volume['isFormatted'] === true && volume['isFormatting'] !== true
    ? formatted(pass, found, volume, times.lookEveryMs)
    : unformatted(pass, found, volume, times);
}

/** Id of a volume whose identity was lost: it may be any. */
const UNTOLD = 'untold';

/** The one that was seen by this object. One of before there were records was seen by now. */
function fileSystemOf({ status = {} }: KubeObject, now: number): Json | undefined {
  const { fileSystem, formattedBy, capacityBytes, volumeID } = status;
  if (fileSystem !== undefined || (formattedBy === undefined && capacityBytes === undefined)) return fileSystem;
  return { volumeID: volumeID ?? UNTOLD, seenAt: timeOf(now) };
}

async function formatted(
  pass: WindowsPass,
  { status, identity, volumeID, diskBytes, seenAt }: Found,
  volume: JsonObject,
  lookAgainMs: number,
): Promise<Kept> {
  const { object, ports, ask } = pass;
  const sizeBytes = numberOf(object.spec?.['sizeBytes']);
  const capacityBytes = numberOf(volume['capacityBytes']) ?? 0;
  // One that is large enough is not asked to be anything else: it never shrinks.
  const isToGrow = sizeBytes !== undefined && (sizeBytes === 0 || sizeBytes > capacityBytes);
  const before = { sizeBytes, diskBytes, capacityBytes };
  const last = mapOf(status['grown']);
  // The same request on a disk of this size has led to the present size: repeating it would change nothing.
  const isTried = Object.entries(before).every(([member, value]) => last[member] === value);
  let sizes = volume;
  let grown: Json | undefined = isToGrow ? said(before) : undefined;
  // mutant: volume-grown-again &&.2 -> true
  if (isToGrow && !isTried) {
    await ask('resize', { identity, volumeID, sizeBytes });
    sizes = mapOf(listOf((await ask('look', { identity }))['volumes'])[0] ?? {});
    grown = said({ ...before, capacityBytes: sizes['capacityBytes'] });
  }
  const { format, ...rest } = status;
  const isOurs = mapOf(format)['volumeID'] === volumeID;
  const now = timeOf(ports.now());
  return recorded(
    pass,
    {
      ...rest,
      grown,
      fileSystem: { volumeID, seenAt: isOurs ? madeAt(now, seenAt) : (seenAt ?? now) },
      formattedBy: rest['formattedBy'] ?? (isOurs ? object.metadata.uid : undefined),
      capacityBytes: sizes['capacityBytes'],
      usedBytes: sizes['usedBytes'],
    },
    lookAgainMs,
  );
}

/** One that was ready before is, while its disk learns of it (WIN-KINDS-WINDOWS-VOLUME-4). */
function recorded({ object, attributesOf }: WindowsPass, status: Found['status'], lookAgainMs: number): Kept {
  const known = seenIn(attributesOf('WindowsDisk')['fileSystems']);
  const isKnown = seenIn([status['fileSystem'] ?? null]).every(({ volumeID, seenAt }) =>
    known.some((each) => each.volumeID === volumeID && each.seenAt >= seenAt),
  );
  const waiting = unready(Reason.WaitingForDependency, 'its disk has not recorded yet that it has a file system');
  return { status: said(status), verdict: isKnown || isReady(object) ? READY : waiting, lookAgainMs };
}

async function unformatted(
  pass: WindowsPass,
  found: Found,
  volume: JsonObject,
  { formatMs, lookEveryMs }: Pick<WindowsOptions, 'lookEveryMs' | 'formatMs'>,
): Promise<Kept> {
  const { object, ports, signal, note, attributesOf } = pass;
  const { status, identity, volumeID, seenAt } = found;
  const intent = mapOf(status['format']);
  // mutant: format-asked-again if -> $2
  if (intent['volumeID'] !== undefined || volume['isFormatting'] === true) {
    const age = ports.now() - Date.parse(textOf(intent['startedAt']));
    return { status: said(status), verdict: waitingFor(volume, age, formatMs), lookAgainMs: FORMAT_LOOK_MS };
  }
  const refusal = refusalOf(object, attributesOf('WindowsDisk'), seenAt);
  if (refusal !== undefined) return { status: said(status), verdict: refusal, lookAgainMs: lookEveryMs };
  const startedAt = timeOf(ports.now());
  // mutant: format-unrecorded drop
  await note(said({ ...status, format: { volumeID, startedAt } }));
  // A failure that is not reported as a response proves nothing, unless no server was reached: the intent stays
  // (WIN-KINDS-WINDOWS-VOLUME-1).
  const options = { signal, extra: { identity, volumeID }, onProgress: () => undefined };
  const answer = await ports.callLong('format', options).then(mapOf, async (error: unknown) => {
    if (isUntaken(error)) await note(said(status));
    throw error;
  });
  if (answer['formatted'] === true) return finished(pass, found, lookEveryMs);
  await note(said(status));
  const message = `it could not be formatted: ${textOf(answer['failed'])}`;
  throw { code: 'transient', message } satisfies ErrorData;
}

async function finished(
  pass: WindowsPass,
  { status, identity, volumeID, seenAt }: Found,
  lookAgainMs: number,
): Promise<Kept> {
  const { object, ports, ask } = pass;
  const { format: _, ...rest } = status;
  const all = listOf((await ask('look', { identity }))['volumes']).map(mapOf);
  const { capacityBytes, usedBytes } = all.find(({ id }) => id === volumeID) ?? {};
  const fileSystem = { volumeID, seenAt: madeAt(timeOf(ports.now()), seenAt) };
  const formattedBy = object.metadata.uid;
  return recorded(pass, { ...rest, fileSystem, formattedBy, capacityBytes, usedBytes }, lookAgainMs);
}

function refusalOf(
  object: KubeObject,
  { seenRaw, endpoint }: JsonObject,
  seenAt: string | undefined,
): Verdict | undefined {
  const isSeenRaw = seenRaw === true;
  const policy = textOf(object.spec?.['formatPolicy']);
  const refuse = (why: string): Verdict => unready(Reason.NotFormatted, `Windows knows no file system on it: ${why}`);
  if (policy !== 'IfUnknown' && policy !== 'IfRaw') return refuse('formatPolicy is Never, so nothing is made of it');
  if (!isGivenUp(object.spec, seenAt)) {
    const order = `formatPolicy: IfUnknown and ${DISCARD}: '${seenAt}' say that what was on it may be lost`;
    return refuse(`it has had a file system since ${seenAt}, and is not formatted again, unless ${order}`);
  }
  // mutant: format-any-raw ||.2 -> true
  if (policy === 'IfUnknown' || isSeenRaw) return undefined;
  if (endpoint !== undefined) {
    const todo = 'IfUnknown formats what Windows knows no file system on, whatever else is there, and Never leaves it';
    return unready(
      Reason.RawNotTold,
      `formatPolicy is IfRaw, and csi-proxy does not tell whether the disk was raw: ${todo}`,
    );
  }
  return refuse('formatPolicy is IfRaw, and its disk was not seen raw, or has had a file system since');
}

function waitingFor({ isFormatting }: JsonObject, ageMs: number, formatMs: number): Verdict {
  if (isFormatting === true) return unready(Reason.Formatting, 'it is being formatted');
  if (ageMs < formatMs) return unready(Reason.Formatting, 'a format was asked for, and its end is not known yet');
  const advice = `check it, and format it by hand or re-create the object; its disk may be attached read-only: ${READ_ONLY_TODO}`;
  return unready(Reason.FormatUncertain, `a format was requested and has no visible result: ${advice}`);
}
