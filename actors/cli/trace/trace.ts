// `troupe trace <kind>/<name>`: a change of an object as a story, and as OpenTelemetry spans.

import type { ConfiguredAdapter } from '../../../adapters/api/adapter.ts';
import { ForbiddenError } from '../../../adapters/kubernetes/mod.ts';
import {
  type Address,
  addressKey,
  type Clock,
  parseTraceparent,
  type ReceivedEvent,
  TerminalError,
  TroupeError,
} from '../../../bus/mod.ts';
import { Tag } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { changeTraceparent, traceIdOf } from '../../base/change-trace.ts';
import type { Config } from '../../base/config.ts';
import { plain } from '../../base/printable.ts';
import { ClusterReader } from '../../diagnosis/cluster-reader.ts';
import { Diagnosis } from '../../diagnosis/diagnosis.ts';
import { labelOf } from '../../diagnosis/findings.ts';
import type { BusReader } from '../bus-reader.ts';
import { type Cluster, objectNamed, openCluster } from '../cluster.ts';
import type { Ink } from '../colors.ts';
import { type Reported, type Story, sharesOf, storyOf } from './story.ts';
import { traceText } from './text.ts';
import { type Written, writtenOf } from './write.ts';

export interface TraceDeps {
  config: Pick<Config, 'kubeconfig' | 'inCluster'> & Partial<Pick<Config, 'context' | 'env'>>;
  adapters: readonly ConfiguredAdapter[];
  clock: Clock;
  openBus: () => Promise<BusReader>;
  /** `<kind>/<name>`, or the two apart. */
  names: readonly string[];
  /** That of the kubeconfig's context unless given. */
  namespace: string | undefined;
  /** Undefined: the last one. */
  generation: string | undefined;
  /** Whether it is sent as spans. */
  isExported: boolean;
  output: string | undefined;
  home: string | undefined;
  out: NodeJS.WritableStream;
  /** Output other than the story. */
  notes: NodeJS.WritableStream;
  ink: Ink;
}

/** Clocks of processes and of the bus differ by less, in milliseconds. */
const MARGIN_MS = 60_000;

/**
 * @returns 0 when the change has come to rest, 1 when it has not yet, or has failed
 * @throws {TerminalError} what is asked makes no sense, or nothing is known of it; {AbsentError} no events are kept; as `openBus`
 */
export async function trace(deps: TraceDeps): Promise<number> {
  const { adapters, clock, openBus, names, output = 'text', out, notes, ink } = deps;
  if (output !== 'text' && output !== 'json') throw new TerminalError(`--output must be text or json; got '${output}'`);
  const wanted = deps.generation === undefined ? undefined : generationOf(deps.generation);
  const cluster = openCluster(deps);
  try {
    const { client, registry } = cluster;
    const named = objectNamed('trace', { resources: registry.resources, adapters }, names);
    const address: Address = { ...named, namespace: deps.namespace ?? client.namespace };
    const resource = registry.resource(address);
    if (resource === undefined) throw new TerminalError(`there is no kind '${address.plural}'`);
    let written: Written | undefined;
    try {
      written = await writtenOf(client, resource, address);
    } catch (error) {
      if (!(error instanceof ForbiddenError)) throw error;
      notes.write(`troupe: ${plain(error.message)}; who wrote it is not told\n`);
    }
    const bus = await openBus();
    let reported: Reported;
    try {
      reported = await read(bus.trace, address, written, wanted);
    } finally {
      await bus.close();
    }
    const addressLabel = (of: Address): string => `${registry.resource(of)?.kind ?? of.plural}/${of.name}`;
    const now = clock.now();
    out.write(
      output === 'json'
        ? `${JSON.stringify({ ...reported, shares: reported.story.rounds.map((round) => sharesOf(round, now)) }, undefined, 2)}\n`
        : traceText(reported, {
            labelOf: addressLabel,
            ink,
            now,
            waitsFor: await neededNow(deps, cluster, address, reported),
          }),
    );
    if (deps.isExported) {
      const { exportSpans } = await import('./otlp.ts');
      const count = await exportSpans(reported, addressLabel, now);
      notes.write(`troupe: ${count} spans are exported\n`);
    }
    const end = reported.story.rounds[0]?.settled;
    return end === undefined || end.tags.includes(Tag.Failing) ? 1 : 0;
  } finally {
    await cluster.close();
  }
}

/** Whom an object waits for that has not settled, as far as its references tell; nothing where that cannot be looked at. */
async function neededNow(
  { clock }: Pick<TraceDeps, 'clock'>,
  { client, objects, registry }: Cluster,
  address: Address,
  { story, written, generation }: Reported,
): Promise<readonly string[]> {
  const last = story.rounds[0]?.stays.at(-1);
  const isOld = generation !== undefined && generation !== written?.generation;
  if (isOld || last?.endedAt !== undefined || !last?.tags.includes(Tag.Waiting)) return [];
  try {
    const reading = new ClusterReader({ objects, client, registry });
    const { needs, heldBy = [] } = await new Diagnosis({ reading, registry, now: clock.now() }).explain(address);
    return [...new Set([...heldBy.flatMap(({ holders }) => holders), ...needs].map(labelOf))];
  } catch (error) {
    if (error instanceof TroupeError) return [];
    throw error;
  }
}

async function read(
  kept: BusReader['trace'],
  address: Address,
  written: Written | undefined,
  wanted: number | undefined,
): Promise<Reported> {
  const own: ReceivedEvent[] = [];
  for await (const event of kept.history({ actor: address })) own.push(event);
  const traceId = traceOf(own, written, wanted);
  const first = own.find(({ traceparent }) => traceIdOf(traceparent) === traceId);
  if (first === undefined) {
    const what = wanted === undefined ? '' : ` of generation ${wanted}`;
    throw new TerminalError(
      `nothing${what} is kept of '${address.name}' in namespace '${address.namespace}': it happened too long ago, or not yet`,
    );
  }
  // The clock of the bus is asked for.
  const events: ReceivedEvent[] = [];
  for await (const event of kept.history({ since: (first.keptAt ?? first.at) - MARGIN_MS })) events.push(event);
  const actors = new Map<string, Address>();
  for (const { actor, traceparent } of events) actors.set(parseTraceparent(traceparent)?.spanId ?? '', actor);
  const actorOf = ({ spanId }: { readonly spanId: string }): Address | undefined => actors.get(spanId);
  const story = storyOf(own, address, traceId, actorOf);
  if (story === undefined) throw new TerminalError(`nothing is kept of '${address.name}'`);
  const sameTime = events.filter(({ at }) => at >= (story.rounds[0]?.startedAt ?? first.at));
  const isNumbered = written === undefined || written.generation !== undefined;
  const generation = wanted ?? (isNumbered ? Number.parseInt(traceId.slice(0, 8), 16) : undefined);
  return { story, written, generation, others: othersOf(story, sameTime, actorOf) };
}

/** Those that were waited for, and those that these waited for. */
function othersOf(
  story: Story,
  events: readonly ReceivedEvent[],
  actorOf: Parameters<typeof storyOf>[3],
): readonly Story[] {
  const found = new Map<string, Story>([[keyOf(story), story]]);
  for (const { rounds } of found.values()) {
    for (const { actor, traceId } of rounds.flatMap(({ stays }) => stays.flatMap(({ endedBy }) => endedBy))) {
      if (actor === undefined || found.has(keyOf({ actor, traceId }))) continue;
      const other = storyOf(events, actor, traceId, actorOf);
      if (other !== undefined) found.set(keyOf(other), other);
    }
  }
  return [...found.values()].slice(1);
}

function keyOf({ actor, traceId }: Pick<Story, 'actor' | 'traceId'>): string {
  return `${addressKey(actor)} ${traceId}`;
}

/** The trace that is meant: that of the wanted generation, or of the last change of which something is kept. */
function traceOf(own: readonly ReceivedEvent[], written: Written | undefined, wanted: number | undefined): string {
  const last = own.at(-1);
  const uid = written?.uid ?? String(last?.data['uid'] ?? '');
  const generation = wanted ?? written?.generation;
  if (generation !== undefined) {
    const traceId = traceIdOf(changeTraceparent({ metadata: { uid, generation } } as KubeObject));
    if (wanted !== undefined || own.some(({ traceparent }) => traceIdOf(traceparent) === traceId)) return traceId;
  }
  return traceIdOf(last?.traceparent);
}

function generationOf(text: string): number {
  const generation = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(generation)) return generation;
  throw new TerminalError(`--generation must be a whole number from 1 on; got '${text}'`);
}
