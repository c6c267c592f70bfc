// Trust of the API server in the webhooks: the caBundle in the objects that refer to them, restored whenever other
// writers change it.
//
// Invariants:
//   HOOK-TRUST-1. Of an object nothing is written but the caBundle of an entry that leads to this server; where one leads elsewhere it
//       stays as it is.
//   HOOK-TRUST-2. A write always contains the bundle read at that moment: an outdated view is never written back.
//   HOOK-TRUST-3. `since` is reported only while every existing object has the whole bundle.
import type { Logger } from 'pino';
import type { Webhooks } from '../../adapters/api/webhooks.ts';
import {
  type KubeClient,
  type Objects,
  type Resource,
  resourcePath,
  watchResource,
} from '../../adapters/kubernetes/mod.ts';
import { AbsentError, type Clock, ErrorCode, type JsonObject, toErrorData } from '../../bus/mod.ts';
import { growingPauseMs } from '../../machines/backoff.ts';
import { listOf, mapOf } from './data.ts';

/** A Service of the cluster. */
export interface ServicePlace {
  readonly namespace: string;
  readonly name: string;
}

export interface TrustDeps {
  readonly client: KubeClient;
  readonly objects: Objects;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly webhooks: readonly Webhooks[];
  /** Service of this server. */
  readonly service: ServicePlace;
  /** Whether these authorities, as PEM, are all that are to be trusted, as far as is known. */
  isEnough(said: string): boolean;
  /** Replacement for that bundle. @throws it cannot be determined */
  bundle(said: string): Promise<string>;
  /** Told when something changes about whether it is trusted. */
  onChange(): void;
}

export interface Trust {
  /** Since when every object that is there says what is enough; undefined: not all of them do, or it is not known. */
  since(): number | undefined;
  /** Other authorities are to be trusted. */
  renew(): void;
}

interface Target {
  readonly resource: Resource;
  readonly name: string;
  /** Paths of caBundles in the object, with their values. */
  readonly entries: (object: JsonObject, paths: ReadonlySet<string>, service: ServicePlace) => readonly Entry[];
}

interface Entry {
  /** JSON pointer of the clientConfig. */
  readonly pointer: string;
  /** PEM; empty: there is none. */
  readonly said: string;
}

interface Said {
  /** Bundles of an object, one for each of its entries; undefined if unknown. */
  bundles: readonly string[] | undefined;
}

const MANAGER = 'troupe-webhooks';
const DEFINITIONS: Resource = {
  realm: 'apiextensions',
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  metadataOnly: true,
};
const CONFIGURATIONS: Resource = {
  realm: 'admissionregistration',
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  metadataOnly: true,
};

const PAUSES = { firstMs: 50, limitMs: 30_000 };
/** Number of consecutive races that are not logged. */
const RACES = 5;

/** Keeps the bundles until `signal` is aborted. */
export function keepTrust(deps: TrustDeps, signal: AbortSignal): Trust & { readonly ended: Promise<void> } {
  const { client, objects, clock, log, webhooks, service, isEnough, bundle, onChange } = deps;
  const paths = new Set(
    webhooks.flatMap(({ conversion, admission }) => [
      ...(conversion === undefined ? [] : [conversion.path]),
      ...(admission?.paths ?? []),
    ]),
  );
  const targets = targetsOf(webhooks).map((target) => ({ target, said: { bundles: undefined } as Said }));
  let saidAt: number | undefined;

  const judge = (): void => {
    const isSaid = targets.every(({ said }) => said.bundles?.every(isEnough) === true);
    saidAt = isSaid ? (saidAt ?? clock.now()) : undefined;
  };

  /** One look, and one write where it is needed. */
  const settle = async ({ resource, name, entries }: Target, said: Said): Promise<void> => {
    const path = resourcePath(resource, '', name);
    const object = await read(client, path);
    const found = object === undefined ? [] : entries(object, paths, service);
    said.bundles = found.map((entry) => entry.said);
    const wrong: (Entry & { readonly wanted: string })[] = [];
    for (const entry of found.filter((each) => !isEnough(each.said))) {
      const wanted = await bundle(entry.said);
      if (wanted !== entry.said) wrong.push({ ...entry, wanted });
    }
    if (object === undefined || wrong.length === 0) return;
    const { resourceVersion } = object['metadata'] as { readonly resourceVersion: string };
    await client.call({
      method: 'PATCH',
      path: `${path}?fieldManager=${MANAGER}`,
      contentType: 'application/json-patch+json',
      body: [
        { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
        ...wrong.map(({ pointer, wanted }) => ({ op: 'add', path: `${pointer}/caBundle`, value: encoded(wanted) })),
      ],
    });
    said.bundles = found.map(
      ({ pointer, said: before }) => wrong.find((one) => one.pointer === pointer)?.wanted ?? before,
    );
    log.info({ [resource.kind]: name }, 'wrote the caBundle of a webhook');
  };

  const renewals = new Set<() => void>();
  const keep = async (target: Target, said: Said): Promise<void> => {
    let isDue = true;
    let wake = (): void => undefined;
    const due = (): void => {
      isDue = true;
      wake();
    };
    renewals.add(due);
    signal.addEventListener('abort', due);
    const { resource, name } = target;
    const watching = watchResource(
      { client, objects, clock },
      { resource, name },
      {
        onList: due,
        onChange: due,
        onGone: due,
        onTrouble: (message) =>
          log.warn({ [resource.kind]: name, error: message }, 'watching a webhook configuration failed; will retry'),
        onRecovery: due,
      },
      signal,
    );
    let failures = 0;
    let problem = '';
    while (!signal.aborted) {
      if (!isDue) await new Promise<void>((resolve) => (wake = resolve));
      if (signal.aborted) break;
      isDue = false;
      try {
        await settle(target, said);
        failures = 0;
        problem = '';
      } catch (error) {
        isDue = true;
        said.bundles = undefined;
        failures += 1;
        const { code, message } = toErrorData(error);
        // A concurrent write is normal: the patch fails with a conflict, or as invalid.
        const isRace = (code === ErrorCode.Conflict || code === ErrorCode.Terminal) && failures <= RACES;
        if (!isRace && message !== problem) {
          log.warn({ [resource.kind]: name, error: message }, 'writing the caBundle of a webhook failed; will retry');
          problem = message;
        }
        const pauseMs = growingPauseMs(failures + 1, PAUSES);
        await clock.sleep(pauseMs * (0.5 + clock.random() / 2), signal);
      }
      judge();
      onChange();
    }
    await watching;
  };

  const ended = Promise.all(targets.map(({ target, said }) => keep(target, said))).then(() => undefined);
  return {
    ended,
    since() {
      judge();
      return saidAt;
    },
    renew() {
      saidAt = undefined;
      for (const due of renewals) due();
    },
  };
}

const encoded = (pem: string): string => Buffer.from(pem).toString('base64');

function targetsOf(webhooks: readonly Webhooks[]): readonly Target[] {
  return webhooks.flatMap(({ conversion, admission }) => [
    ...(conversion?.definitions ?? []).map((name) => ({ resource: DEFINITIONS, name, entries: inDefinition })),
    ...(admission?.configurations ?? []).map((name) => ({ resource: CONFIGURATIONS, name, entries: inConfiguration })),
  ]);
}

function inDefinition({ spec }: JsonObject, paths: ReadonlySet<string>, service: ServicePlace): readonly Entry[] {
  const { strategy, webhook } = mapOf(mapOf(spec)['conversion']);
  if (strategy !== 'Webhook') return [];
  return entryOf('/spec/conversion/webhook/clientConfig', mapOf(webhook)['clientConfig'], paths, service);
}

function inConfiguration(
  { webhooks }: JsonObject,
  paths: ReadonlySet<string>,
  service: ServicePlace,
): readonly Entry[] {
  return listOf(webhooks).flatMap((webhook, at) =>
    entryOf(`/webhooks/${at}/clientConfig`, mapOf(webhook)['clientConfig'], paths, service),
  );
}

/** None if it refers to another server (HOOK-TRUST-1). Of a URL only the path counts. */
function entryOf(
  pointer: string,
  clientConfig: unknown,
  paths: ReadonlySet<string>,
  { namespace, name }: ServicePlace,
): readonly Entry[] {
  const { url, service, caBundle } = mapOf(clientConfig);
  const asked = mapOf(service);
  const isOurs =
    typeof url === 'string'
      ? URL.canParse(url) && paths.has(new URL(url).pathname)
      : asked['namespace'] === namespace && asked['name'] === name && paths.has(String(asked['path']));
  const said = typeof caBundle === 'string' ? Buffer.from(caBundle, 'base64').toString() : '';
  return isOurs ? [{ pointer, said }] : [];
}

async function read(client: KubeClient, path: string): Promise<JsonObject | undefined> {
  try {
    return (await client.call({ method: 'GET', path })).body;
  } catch (error) {
    if (error instanceof AbsentError) return undefined;
    throw error;
  }
}
