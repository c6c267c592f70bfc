// The webhook that a definition names for the conversion of its objects: an HTTPS server that is asked for each.

import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { Clock } from '../../../../bus/time.ts';
import { jsonText } from '../../../text/exact-json.ts';
import { dig, type JsonMap, listOf, stringOf } from '../../../text/json.ts';
import { plainFailure } from '../base/api-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { randomUid } from '../resources/api.ts';
import type { ConversionWebhook } from '../resources/conversion.ts';
import { conversions } from './pending.ts';
import { checkedObject, objectsOf, REVIEW_VERSIONS, ReviewError, reviewOf } from './review.ts';

/** Time that the API server waits for a conversion. */
const TIMEOUT_MS = 30_000;

/** Limit of an answer, in bytes: more than any list of objects that fits into a request. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** @param conversion  `spec.conversion` of a definition, with the strategy `Webhook` */
export function conversionWebhook(conversion: unknown, clock: Clock, closing: AbortSignal): ConversionWebhook {
  const config = dig(conversion, 'webhook', 'clientConfig');
  const spoken = listOf(dig(conversion, 'webhook', 'conversionReviewVersions'));
  const version = spoken.map(String).find((one) => REVIEW_VERSIONS.includes(one)) ?? '';
  const bundle = Buffer.from(stringOf(dig(config, 'caBundle')), 'base64')
    .toString()
    .trim();
  const agent = new Agent({ keepAlive: true, ...(bundle === '' ? {} : { ca: bundle }) });

  const ask = async (objects: readonly KubeObject[], apiVersion: string): Promise<KubeObject[]> => {
    if (version === '') throw new ReviewError('no supported conversion review versions');
    const url = urlOf(config);
    const uid = randomUid(clock);
    const text = await post({ url, agent, clock, closing }, reviewOf(version, uid, objects, apiVersion));
    const received = objectsOf(text, version, uid);
    if (received.length !== objects.length) {
      throw new ReviewError(`returned ${received.length} objects, expected ${objects.length}`);
    }
    return objects.map((object, index) =>
      checkedObject(object, received[index], apiVersion, objects.length === 1 ? undefined : index),
    );
  };

  return {
    async convert(objects, apiVersion) {
      try {
        return (await ask(objects, apiVersion)).map((object) => ({ kind: 'done', object }));
      } catch (error) {
        if (!(error instanceof ReviewError)) throw error;
        return objects.map((object) => {
          const message = `conversion webhook for ${object.apiVersion}, Kind=${object.kind} ${error.message}`;
          return { kind: 'failed', error: plainFailure(message) };
        });
      }
    },
    remembered: conversions({ keepFailures: false }),
  };
}

/** Services have no addresses here: nothing runs behind them. */
function urlOf(config: unknown): URL {
  const url = stringOf(dig(config, 'url'));
  if (url !== '') {
    const parsed = new URL(url);
    parsed.searchParams.set('timeout', `${TIMEOUT_MS / 1_000}s`);
    return parsed;
  }
  const [name, namespace] = [stringOf(dig(config, 'service', 'name')), stringOf(dig(config, 'service', 'namespace'))];
  const port = Number(dig(config, 'service', 'port') ?? 443);
  const path = stringOf(dig(config, 'service', 'path')) || '/';
  const asked = `https://${name}.${namespace}.svc:${port}${path}?timeout=${TIMEOUT_MS / 1_000}s`;
  throw new ReviewError(`failed: Post "${asked}": service ${JSON.stringify(name)} not found`);
}

interface Post {
  readonly url: URL;
  readonly agent: Agent;
  readonly clock: Clock;
  readonly closing: AbortSignal;
}

async function post({ url, agent, clock, closing }: Post, review: JsonMap): Promise<string> {
  const body = jsonText(review);
  const timer = new AbortController();
  const timeout = clock.setTimeout(() => timer.abort(), TIMEOUT_MS);
  try {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      accept: 'application/json, */*',
      'user-agent': 'kube-apiserver-admission',
    };
    const signal = AbortSignal.any([timer.signal, closing]);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(url, { method: 'POST', agent, headers, signal }, resolve);
      outgoing.on('error', reject);
      outgoing.end(body);
    });
    const text = await textOf(response);
    const code = response.statusCode ?? 0;
    if (code < 200 || code > 299) throw new ReviewError(`failed: ${refusal(code, text)}`);
    return text;
  } catch (error) {
    if (error instanceof ReviewError) throw error;
    throw new ReviewError(`failed: Post "${url.href}": ${timer.signal.aborted ? TIMED_OUT : problem(error, url)}`, {
      cause: error,
    });
  } finally {
    clock.clearTimeout(timeout);
  }
}

const TIMED_OUT = 'net/http: request canceled (Client.Timeout exceeded while awaiting headers)';

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new ReviewError('failed: the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function refusal(code: number, text: string): string {
  if (code === 404) return 'the server could not find the requested resource';
  if (code === 429) return 'the server has received too many requests and has asked us to try again later';
  const shown = JSON.stringify(text.trim() || 'unknown');
  if (code >= 500) return `an error on the server (${shown}) has prevented the request from succeeding`;
  return `the server rejected our request for an unknown reason`;
}

/** What Go says of the most common accidents of a connection. */
function problem(error: unknown, { hostname, port }: URL): string {
  const { code = '', message = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const address = `${hostname}:${port || 443}`;
  if (code === 'ECONNREFUSED') return `dial tcp ${address}: connect: connection refused`;
  if (code === 'ECONNRESET' || /hang up/.test(message)) return 'EOF';
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname}: no such host`;
  if (/SELF_SIGNED|UNABLE_TO|UNKNOWN_CA|CERT_SIGNATURE/.test(code)) {
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  }
  if (code.startsWith('CERT_') || code.startsWith('ERR_TLS')) return `tls: failed to verify certificate: ${message}`;
  return message;
}
