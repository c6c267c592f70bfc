// WindowsVolume: a volume of a disk. What is on it is kept.
//
// Invariants:
//   F1. A format is on record before it is asked for, and stays there until it is known how it ended. While it is there no other
//       one is asked for: it is looked whether it has come to its end.
//   F2. Under IfRaw only volumes of a disk that was seen raw, and never with a file system, are formatted; under Never none.
//   F3. A volume that was formatted for this object is never formatted again.
import type { Json, JsonObject } from '../../../bus/json.ts';
import type { ErrorData, KubeObject } from '../../../machines/object.ts';
import type { DeclaredKind } from '../../adapter.ts';
import { READY, Reason, timeOf, unready, type Verdict } from './conditions.ts';
import type { WindowsOptions } from './options.ts';
import { listOf, mapOf, numberOf, said, textOf, wordOf } from './values.ts';
import { finalizerOf, isUntaken, type Kept, type WindowsPass, windowsKind } from './windows-kind.ts';

const KIND = 'WindowsVolume';
/** Between looks at a format whose end nobody tells, in milliseconds. */
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
        ...(status?.['formattedBy'] !== undefined && { attributes: { formatted: true } }),
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

/** What a pass goes by. */
interface Found {
  readonly status: Readonly<Record<string, Json | undefined>>;
  readonly identity: string;
  readonly volumeID: string;
}

async function keep(pass: WindowsPass, times: Pick<WindowsOptions, 'lookEveryMs' | 'formatMs'>): Promise<Kept> {
  const { object, ask, attributesOf } = pass;
  const disk = attributesOf('WindowsDisk');
  const { formattedBy, format } = object.status ?? {};
  const identity = textOf(disk['identity']);
  const before = { identity, formattedBy, format };
  const [volume, other] = listOf((await ask('look', { identity }))['volumes']).map(mapOf);
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
  const found: Found = { status: { ...before, volumeID }, identity, volumeID };
  return volume['isFormatted'] === true && volume['isFormatting'] !== true
    ? formatted(pass, found, volume, times.lookEveryMs)
    : unformatted(pass, found, volume, times);
}

async function formatted(
  { object, ask }: WindowsPass,
  { status, identity, volumeID }: Found,
  volume: JsonObject,
  lookAgainMs: number,
): Promise<Kept> {
  const sizeBytes = numberOf(object.spec?.['sizeBytes']);
  const capacityBytes = numberOf(volume['capacityBytes']) ?? 0;
  // One that is large enough is not asked to be anything else: it never shrinks.
  const isToGrow = sizeBytes !== undefined && (sizeBytes === 0 || sizeBytes > capacityBytes);
  let sizes = volume;
  if (isToGrow) {
    await ask('resize', { identity, volumeID, sizeBytes });
    sizes = mapOf(listOf((await ask('look', { identity }))['volumes'])[0] ?? {});
  }
  const { format, ...rest } = status;
  const isOurs = mapOf(format)['volumeID'] === volumeID;
  return {
    status: said({
      ...rest,
      formattedBy: rest['formattedBy'] ?? (isOurs ? object.metadata.uid : undefined),
      capacityBytes: sizes['capacityBytes'],
      usedBytes: sizes['usedBytes'],
    }),
    verdict: READY,
    lookAgainMs,
  };
}

async function unformatted(
  pass: WindowsPass,
  found: Found,
  volume: JsonObject,
  { formatMs, lookEveryMs }: Pick<WindowsOptions, 'lookEveryMs' | 'formatMs'>,
): Promise<Kept> {
  const { object, ports, key, signal, note, attributesOf } = pass;
  const { status, identity, volumeID } = found;
  const intent = mapOf(status['format']);
  // mutant: format-asked-again if -> $2
  if (intent['volumeID'] !== undefined || volume['isFormatting'] === true) {
    const age = ports.now() - Date.parse(textOf(intent['startedAt']));
    return { status: said(status), verdict: waitingFor(volume, age, formatMs), lookAgainMs: FORMAT_LOOK_MS };
  }
  const refusal = refusalOf(object, attributesOf('WindowsDisk'));
  if (refusal !== undefined) return { status: said(status), verdict: refusal, lookAgainMs: lookEveryMs };
  const startedAt = timeOf(ports.now());
  // mutant: format-unrecorded drop
  await note(said({ ...status, format: { volumeID, startedAt } }));
  // A failure that is not told as an answer proves nothing, unless nobody was asked: the intent stays (F1).
  const options = { signal, extra: { identity, volumeID }, onProgress: () => undefined };
  const answer = await ports.hold(key, 'format', options).then(mapOf, async (error: unknown) => {
    if (isUntaken(error)) await note(said(status));
    throw error;
  });
  if (answer['formatted'] === true) return finished(pass, found, lookEveryMs);
  await note(said(status));
  const message = `it could not be formatted: ${textOf(answer['failed'])}`;
  throw { code: 'transient', message } satisfies ErrorData;
}

async function finished(
  { object, ask }: WindowsPass,
  { status, identity, volumeID }: Found,
  lookAgainMs: number,
): Promise<Kept> {
  const { format: _, ...rest } = status;
  const all = listOf((await ask('look', { identity }))['volumes']).map(mapOf);
  const { capacityBytes, usedBytes } = all.find(({ id }) => id === volumeID) ?? {};
  const formattedBy = object.metadata.uid;
  return { status: said({ ...rest, formattedBy, capacityBytes, usedBytes }), verdict: READY, lookAgainMs };
}

function refusalOf(object: KubeObject, { seenRaw, endpoint }: JsonObject): Verdict | undefined {
  const isSeenRaw = seenRaw === true;
  const policy = textOf(object.spec?.['formatPolicy']);
  const refuse = (why: string): Verdict => unready(Reason.NotFormatted, `Windows knows no file system on it: ${why}`);
  if (wordOf(object.status?.['formattedBy']) !== undefined) return refuse('it had one, and is not formatted again');
  // mutant: format-any-raw &&.2 -> true
  if (policy === 'IfUnknown' || (policy === 'IfRaw' && isSeenRaw)) return undefined;
  if (policy === 'IfRaw' && endpoint !== undefined) {
    const todo = 'IfUnknown formats what Windows knows no file system on, whatever else is there, and Never leaves it';
    return unready(
      Reason.RawNotTold,
      `formatPolicy is IfRaw, and csi-proxy does not tell whether the disk was raw: ${todo}`,
    );
  }
  return refuse(
    policy === 'IfRaw'
      ? 'formatPolicy is IfRaw, and its disk was not seen raw, or has had a file system since'
      : 'formatPolicy is Never, so nothing is made of it',
  );
}

function waitingFor({ isFormatting }: JsonObject, ageMs: number, formatMs: number): Verdict {
  if (isFormatting === true) return unready(Reason.Formatting, 'it is being formatted');
  if (ageMs < formatMs) return unready(Reason.Formatting, 'a format was asked for, and its end is not known yet');
  const advice = 'look at it, and format it by hand or make the object anew';
  return unready(Reason.FormatUncertain, `a format was asked for, and nothing came of it as it seems: ${advice}`);
}
