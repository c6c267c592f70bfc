// `troupe model serve`: a directory of model files as a running HTTP API.
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { compareModels } from '../../../adapters/ocm/diff/mod.ts';
import {
  Api,
  type ApiDeps,
  changedRoutes,
  loadObjects,
  memoryStore,
  RateLimit,
  routeTable,
  serveHttp,
} from '../../../adapters/ocm/gateway/mod.ts';
import type { Model } from '../../../adapters/ocm/model/mod.ts';
import { TerminalError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import { systemClock } from '../../base/clock.ts';
import { parseListenAddress } from '../../base/listen-address.ts';
import { plainLines } from '../../base/printable.ts';
import { TROUPE_VERSION } from '../../base/version.ts';
import { gatewayMetrics } from '../../observability/gateway-metrics.ts';
import { type Listening, serveMetrics } from '../../observability/probes.ts';
import { stopSignal } from '../../process/process.ts';
import { counted } from './counted.ts';
import { authenticatorOf, listenAddressOf } from './serve-options.ts';
import { modelArguments, orRefuse, withModel } from './session.ts';
import { certificateIn, followFiles, tlsFilesOf } from './tls-files.ts';
import { USAGES } from './usage.ts';

type Values = Readonly<Record<string, string | boolean | undefined>>;

/** A server that runs, and the model that it serves. */
interface Running {
  serve(model: Model): void;
  close(): Promise<void>;
}

/** 32 of these are an identifier of 160 bits. */
const DIGITS = '0123456789abcdefghijklmnopqrstuv';
const ID_LENGTH = 32;

export async function run(args: readonly string[]): Promise<number> {
  const { roots, values } = modelArguments(USAGES.serve, args);
  const watch = values['watch'] === true;
  let running: Running | undefined;
  try {
    return await withModel({ roots, watch }, async ({ workspace }) => {
      const model = snapshot(workspace.model());
      if (running === undefined) running = await start(model, values);
      else running.serve(model);
      if (!watch) await aborted(stopSignal());
      return 0;
    });
  } finally {
    await running?.close();
  }
}

async function start(model: Model, values: Values): Promise<Running> {
  const clock = systemClock();
  const address = listenAddressOf(values);
  const metrics = gatewayMetrics();
  const store = memoryStore();
  const deps: ApiDeps = {
    model,
    store,
    authenticator: authenticatorOf(values, {
      address,
      clock,
      onTrouble: (error) => warn(`the keys cannot be read: ${messageOf(error)}`),
    }),
    build: TROUPE_VERSION,
    now: () => clock.now(),
    newOperationId: randomUUID,
    newId: newIdentifier,
    rate: rateOf(values, clock),
    onDefect: (error, id) => warn(`operation ${id} failed: ${error instanceof Error ? error.stack : String(error)}`),
  };
  const api = new Api(deps);
  const file = text(values, 'objects');
  const objects =
    file === undefined
      ? 0
      : loadObjects(
          orRefuse(() => readFileSync(file, 'utf8')),
          store,
          api.served.services,
        );
  const files = tlsFilesOf(text(values, 'tls-cert'), text(values, 'tls-key'), 'tls');
  const tls = files && certificateIn(files);
  const server = await serveHttp({
    api,
    clock,
    ...address,
    addressName: '--bind-address',
    tls,
    onAnswered: (each) => metrics.onAnswered(each),
  });
  const stop = new AbortController();
  if (files !== undefined && tls !== undefined) {
    const onChange = (problem: string | undefined): void =>
      warn(problem === undefined ? 'another certificate is served' : `the certificate stays as it is: ${problem}`);
    void followFiles(files, tls, { clock, renew: (each) => server.renew(each), onChange, signal: stop.signal });
  }
  const figures = await metricsServer(values, metrics);
  const services = model.services.map(({ name }) => name.snake).join(', ');
  process.stdout.write(
    `${services}: ${counted(routeTable(model, store).length, 'route')}, ${counted(objects, 'object')}\n`,
  );
  process.stdout.write(`in a browser: ${server.url}/docs\n`);
  process.stdout.write(`listening at ${server.url}/api\n`);
  let served = model;
  return {
    serve(next) {
      tellChanges(served, next);
      served = next;
      api.serve(next);
    },
    async close() {
      stop.abort();
      await server.close();
      await figures?.close();
      api.close();
    },
  };
}

/** Says what an edit means for clients. */
function tellChanges(old: Model, now: Model): void {
  const { added, removed } = changedRoutes(routeTable(old, undefined), routeTable(now, undefined));
  const breaks = compareModels(old, now);
  const lines = [
    ...added.map((route) => `+ ${route}`),
    ...removed.map((route) => `- ${route}`),
    ...breaks.map(({ rule, message, service, version }) => `! ${service}/${version ?? '*'}: ${message} [${rule}]`),
    breaks.length === 0
      ? 'serving the edited model: no change breaks clients'
      : `serving the edited model: ${counted(breaks.length, 'breaking change')}`,
  ];
  process.stdout.write(plainLines(`${lines.join('\n')}\n`));
}

async function metricsServer(
  values: Values,
  metrics: ReturnType<typeof gatewayMetrics>,
): Promise<Listening | undefined> {
  const given = text(values, 'metrics-bind-address');
  if (given === undefined) return undefined;
  const address = orUsage('metrics-bind-address', () => parseListenAddress(given));
  return address && (await serveMetrics(address, metrics, undefined));
}

function rateOf(values: Values, clock: Clock): RateLimit | undefined {
  const given = text(values, 'rate');
  if (given === undefined) return undefined;
  const perSecond = Number(given);
  if (!(perSecond > 0 && perSecond <= 1_000_000))
    throw new TerminalError(`--rate is a number of requests a second, not '${given}'`);
  return new RateLimit({ perSecond, burst: Math.max(1, perSecond * 2), now: () => clock.now() });
}

/** 160 random bits. */
export function newIdentifier(): string {
  return [...randomBytes(ID_LENGTH)].map((byte) => DIGITS[byte % DIGITS.length]).join('');
}

/** The workspace changes its services in place; what is compared later is kept as it is now. */
function snapshot({ services }: Model): Model {
  return { services: services.map(({ name, versions }) => ({ name, versions: [...versions] })) };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function orUsage<T>(option: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new TerminalError(`--${option} is ${messageOf(error)}`, { cause: error });
  }
}

function text(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function warn(line: string): void {
  process.stderr.write(`troupe: ${plainLines(line)}\n`);
}
