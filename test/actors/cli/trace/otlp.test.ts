// A change as OpenTelemetry spans: what they say, and the wire as OpenTelemetry defines it, read by field numbers.
// @see https://github.com/open-telemetry/opentelemetry-proto
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import protobuf from 'protobufjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exportSpans } from '../../../../actors/cli/trace/otlp.ts';
import { type Address, parseTraceparent, TransientError } from '../../../../bus/mod.ts';
import { BEGIN, NETWORK, reported, SUBNET, traceparentOf } from './change.ts';

const test = suite('spans of changes');
const labelOf = ({ plural, name }: Address): string => `${plural}/${name}`;

/** Of opentelemetry.proto.trace.v1 and its neighbors, what is used here. */
const PROTO = protobuf
  .parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
  message Scope { string name = 1; string version = 2; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; ArrayValue array_value = 5; } }
  message ArrayValue { repeated AnyValue values = 1; }
  message Status { string message = 2; uint32 code = 3; }
  message Link { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5; uint32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
    repeated Link links = 13; Status status = 15; fixed32 flags = 16;
  }
`)
  .root.lookupType('Request');

interface KeyValue {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

interface Sent {
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Exports it to a server of its own. */
async function sent(status = 200): Promise<Sent> {
  let request: Sent | undefined;
  const server = createServer(async (message, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    request = {
      path: message.url ?? '',
      contentType: message.headers['content-type'] ?? '',
      body: Buffer.concat(chunks),
    };
    answer.writeHead(status, { 'content-type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    await exportSpans(reported(), labelOf, BEGIN, `http://127.0.0.1:${port}/v1/traces`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  if (request === undefined) throw new Error('nothing was sent');
  return request;
}

function hex(base64: string | undefined): string {
  return Buffer.from(base64 ?? '', 'base64').toString('hex');
}

function spansIn(body: Buffer): readonly Span[] {
  const { resourceSpans } = PROTO.toObject(PROTO.decode(body), { longs: String, bytes: String }) as {
    resourceSpans: readonly { scopeSpans: readonly { spans: readonly Span[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

const attributeOf = ({ attributes }: Span, key: string): string | undefined => {
  const value = attributes.find((each) => each.key === key)?.value;
  return value?.stringValue ?? value?.intValue;
};

test('ids, parents and links are those of the change, and times are kept to the microsecond', async () => {
  const { path, contentType, body } = await sent();
  assert.equal([path, contentType], ['/v1/traces', 'application/x-protobuf']);
  const spans = spansIn(body);
  assert.equal(
    spans.map(({ name }) => name),
    [
      'subnets change',
      'claiming.guarding',
      'claiming.awaitingDependencies',
      'building.creating',
      'POST',
      'GET',
      'reconciling.observing',
      'networks change',
      'building.creating',
      'POST',
    ],
  );
  const [subnet, network] = [parseTraceparent(traceparentOf(SUBNET)), parseTraceparent(traceparentOf(NETWORK))];
  const [root, , wait, creating, post, get] = spans as [Span, Span, Span, Span, Span, Span];
  assert.equal([hex(root.traceId), hex(root.spanId), hex(root.parentSpanId)], [subnet?.traceId, subnet?.spanId, '']);
  assert.is(hex(wait.parentSpanId), subnet?.spanId);
  assert.equal(
    wait.links?.map((link) => [hex(link.traceId), hex(link.spanId)]),
    [[network?.traceId, network?.spanId]],
  );
  assert.is(hex(post.parentSpanId), hex(creating.spanId));
  assert.equal([post.kind, creating.kind], [3, 1]);
  assert.equal(
    ['http.request.method', 'url.path', 'http.response.status_code', 'troupe.cloud.service'].map((key) =>
      attributeOf(post, key),
    ),
    ['POST', '/subnets', '201', 'network'],
  );
  assert.equal([post.status?.code ?? 0, get.status?.code, attributeOf(get, 'error.type')], [0, 2, 'no_answer']);
  // The last round failed.
  assert.equal([root.status?.code, attributeOf(root, 'troupe.state')], [2, 'failed']);
  assert.is(wait.startTimeUnixNano, `${BEGIN + 10}000000`);
  const other = spans[7];
  assert.equal([hex(other?.traceId), other?.startTimeUnixNano], [network?.traceId, `${BEGIN + 20}500000`]);
  assert.is(new Set(spans.map(({ spanId }) => spanId)).size, spans.length);
});

test('whoever exports it twice makes the same spans', async () => {
  assert.equal((await sent()).body, (await sent()).body);
});

test('what the collector refuses is told', async () => {
  const error = await sent(400).catch((thrown: unknown) => thrown);
  assert.instance(error, TransientError);
  assert.match((error as Error).message, /^the collector did not take the spans: /);
});

test.run();
