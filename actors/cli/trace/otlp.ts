// A story as OpenTelemetry spans. Ids are those of Troupe, or derived from them: two exports of a change make the same
// spans.
//
//   the object's part in the trace    traceId and spanId as in `traceparent`
//   └─ a stay in a state              linked to the steps whose answers ended it
//      └─ a call to the cloud
//
// @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
import { createHash } from 'node:crypto';
import { type HrTime, type SpanContext, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { addressKey, TransientError } from '../../../bus/mod.ts';
import { Tag } from '../../../machines/lifecycle.ts';
import { TROUPE_VERSION } from '../../base/version.ts';
import type { LabelOf } from '../events/lines.ts';
import { type Call, isRefused, type Link, type Reported, type Stay, type Story } from './story.ts';

const RESOURCE = resourceFromAttributes({ 'service.name': 'troupe', 'service.version': TROUPE_VERSION });
const SCOPE = { name: 'troupe', version: TROUPE_VERSION };

/**
 * Sends it by OTLP over HTTP, as protobuf.
 *
 * @param url  with its path; where the variables of OpenTelemetry say unless given
 * @returns how many spans
 * @throws {TransientError} the collector did not take them
 */
export async function exportSpans(reported: Reported, labelOf: LabelOf, now: number, url?: string): Promise<number> {
  const spans = spansOf(reported, labelOf, now);
  const exporter = new OTLPTraceExporter(url === undefined ? {} : { url });
  try {
    await new Promise<void>((resolve, reject) => {
      exporter.export([...spans], ({ code, error }) => {
        if (code === 0) resolve();
        else
          reject(new TransientError(`the collector did not take the spans: ${error?.message ?? 'it did not say why'}`));
      });
    });
  } finally {
    await exporter.shutdown();
  }
  return spans.length;
}

/** @param now  the end of what has not ended */
export function spansOf(
  { story, others, generation }: Reported,
  labelOf: LabelOf,
  now: number,
): readonly ReadableSpan[] {
  return [story, ...others].flatMap((each) =>
    spansOfStory(each, each === story ? generation : undefined, labelOf, now),
  );
}

function spansOfStory(
  story: Story,
  generation: number | undefined,
  labelOf: LabelOf,
  now: number,
): readonly ReadableSpan[] {
  const { actor, uid, traceId, spanId, rounds } = story;
  const stays = rounds.flatMap((round) => round.stays);
  const [first, last] = [rounds[0], rounds.at(-1)];
  if (first === undefined || last === undefined) return [];
  const own: Own = { traceId, key: addressKey(actor), labelOf, now };
  const root = span(own, {
    spanId,
    name: `${actor.plural} change`,
    startedAt: first.startedAt,
    endedAt: last.settledAt ?? now,
    isFailed: last.settled?.tags.includes(Tag.Failing) ?? false,
    attributes: {
      'troupe.object.realm': actor.realm,
      'troupe.object.plural': actor.plural,
      'troupe.object.name': actor.name,
      'troupe.object.uid': uid,
      ...(actor.namespace !== '' && { 'k8s.namespace.name': actor.namespace }),
      ...(generation !== undefined && { 'troupe.object.generation': generation }),
      ...(last.settled !== undefined && { 'troupe.state': last.settled.state }),
    },
    links: stays.flatMap(({ endedBy }) => endedBy),
  });
  return [root, ...stays.flatMap((stay) => spansOfStay(stay, spanId, own))];
}

/** Attributes that all spans of a story share. */
interface Own {
  readonly traceId: string;
  /** Attributes of the object. */
  readonly key: string;
  readonly labelOf: LabelOf;
  readonly now: number;
}

function spansOfStay(stay: Stay, parent: string, own: Own): readonly ReadableSpan[] {
  const { state, cause, tags, startedAt, endedAt = own.now, endedBy, failure, externalId, calls } = stay;
  const spanId = idOf(own, 'stay', String(startedAt), state);
  const self = span(own, {
    spanId,
    parent,
    name: state,
    startedAt,
    endedAt,
    isFailed: tags.includes(Tag.Failing),
    attributes: {
      'troupe.state': state,
      'troupe.state.tags': [...tags],
      'troupe.cause': cause,
      ...(failure !== undefined && { 'error.type': failure }),
      ...(externalId !== undefined && { 'troupe.object.external_id': externalId }),
    },
    links: endedBy,
  });
  return [self, ...calls.map((call, index) => spanOfCall(call, index, spanId, own))];
}

function spanOfCall(call: Call, index: number, parent: string, own: Own): ReadableSpan {
  const { method, service, path, status, endedAt, durationMs, requestId } = call;
  return span(own, {
    spanId: idOf(own, 'call', parent, String(index), String(endedAt)),
    parent,
    kind: SpanKind.CLIENT,
    name: method,
    startedAt: endedAt - durationMs,
    endedAt,
    isFailed: isRefused(call),
    attributes: {
      'http.request.method': method,
      'url.path': path,
      'troupe.cloud.service': service,
      ...(status !== undefined && { 'http.response.status_code': status }),
      ...(isRefused(call) && { 'error.type': status === undefined ? 'no_answer' : String(status) }),
      ...(requestId !== undefined && { 'http.response.header.x-openstack-request-id': [requestId] }),
    },
    links: [],
  });
}

interface SpanParts {
  readonly spanId: string;
  readonly parent?: string;
  readonly kind?: SpanKind;
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly isFailed: boolean;
  readonly attributes: ReadableSpan['attributes'];
  readonly links: readonly Link[];
}

function span({ traceId, labelOf }: Own, parts: SpanParts): ReadableSpan {
  const { spanId, parent, kind = SpanKind.INTERNAL, name, startedAt, endedAt, isFailed, attributes, links } = parts;
  const context = (id: string, trace = traceId): SpanContext => ({
    traceId: trace,
    spanId: id,
    traceFlags: TraceFlags.SAMPLED,
  });
  const linked = [...new Map(links.map((link) => [`${link.traceId}-${link.spanId}`, link])).values()];
  return {
    name,
    kind,
    spanContext: () => context(spanId),
    ...(parent !== undefined && { parentSpanContext: context(parent) }),
    startTime: hrTime(startedAt),
    endTime: hrTime(Math.max(startedAt, endedAt)),
    duration: hrTime(Math.max(0, endedAt - startedAt)),
    status: { code: isFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes,
    links: linked.map(({ actor, ...link }) => ({
      context: context(link.spanId, link.traceId),
      attributes: actor === undefined ? {} : { 'troupe.object.label': labelOf(actor) },
    })),
    events: [],
    ended: true,
    resource: RESOURCE,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** 16 hexadecimal digits, the same for the same parts; never all 0, which would be no id. */
function idOf({ traceId, key }: Own, ...parts: readonly string[]): string {
  const digits = createHash('sha256')
    .update(JSON.stringify([traceId, key, ...parts]))
    .digest('hex')
    .slice(0, 16);
  return /^0+$/.test(digits) ? digits.replace(/.$/, '1') : digits;
}

/** Seconds and nanoseconds of milliseconds since the epoch, to the microsecond. */
function hrTime(ms: number): HrTime {
  const micros = Math.round(ms * 1_000);
  return [Math.floor(micros / 1_000_000), (micros % 1_000_000) * 1_000];
}
