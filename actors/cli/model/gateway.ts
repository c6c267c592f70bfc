// The role `ocm` of a process: models over HTTP, whose objects are those of the cluster.
import { randomUUID } from 'node:crypto';
import { delegatedObjects } from '../../../adapters/kubernetes/mod.ts';
import { Api, serveHttp } from '../../../adapters/ocm/gateway/mod.ts';
import { ROLE } from '../../../adapters/ocm/kinds/resource.ts';
import { kubernetesStore } from '../../../adapters/ocm/kubernetes-store/store.ts';
import { shellWord } from '../../../adapters/text/shell-word.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { freeFrom } from '../../base/free-address.ts';
import { parseListenAddress } from '../../base/listen-address.ts';
import { TROUPE_VERSION } from '../../base/version.ts';
import { loadModels, type ModelPlace } from '../../process/load-models.ts';
import type { StartGateway } from '../../process/run.ts';
import { GATEWAY_OPTIONS, NOWHERE } from './gateway-options.ts';
import { newIdentifier } from './serve.ts';
import { authenticatorOf } from './serve-options.ts';
import { certificateIn, followFiles, tlsFilesOf } from './tls-files.ts';

type OptionName = keyof typeof GATEWAY_OPTIONS;
type Texts = Readonly<Record<string, string | undefined>>;

export interface GatewaySettings {
  readonly env: Texts;
  /** Options of the command line. */
  readonly options: Texts;
  readonly models: ModelPlace | undefined;
  readonly roles: ReadonlySet<string>;
  /** The roles were named. */
  readonly isNamed: boolean;
  readonly purpose?: 'development' | undefined;
}

/** Field manager of what is written. */
const MANAGER = 'troupe-ocm';
/** Where `troupe dev` begins to look for a free port. */
const DEVELOPMENT_ADDRESS = '127.0.0.1:8000';

/**
 * Server of the models, configured by the options.
 *
 * @returns undefined where nothing is to be served
 * @throws {TerminalError} the options make no sense
 */
export function gatewayOf(settings: GatewaySettings): StartGateway | undefined {
  const { env, options, models, roles, isNamed, purpose } = settings;
  const read = (name: OptionName): string | undefined =>
    options[name] ?? (env[GATEWAY_OPTIONS[name].variable] || undefined);
  const named = read('ocm-bind-address');
  const given = named ?? (purpose === undefined ? undefined : DEVELOPMENT_ADDRESS);
  if (models === undefined) {
    if (named === undefined || named === NOWHERE) return undefined;
    throw new TerminalError('--ocm-bind-address serves models: name them with --models');
  }
  if (!roles.has(ROLE)) return undefined;
  if (given === undefined) {
    if (!isNamed) return undefined;
    throw new TerminalError(`--roles: the role '${ROLE}' needs --ocm-bind-address, such as 127.0.0.1:8000`);
  }
  const address = orSaid('ocm-bind-address', () => parseListenAddress(given));
  if (address === undefined) return undefined;
  const auth = read('ocm-auth') ?? 'none';
  const writesAs = read('ocm-writes-as') ?? (auth === 'none' ? 'self' : 'caller');
  if (writesAs !== 'caller' && writesAs !== 'self') {
    throw new TerminalError(`--ocm-writes-as is 'caller' or 'self', not '${writesAs}'`);
  }
  const files = tlsFilesOf(read('ocm-tls-cert'), read('ocm-tls-key'), 'ocm-tls');
  const tls = files && certificateIn(files);
  const values = {
    'bind-address': given,
    auth,
    'token-file': read('ocm-token-file'),
    jwks: read('ocm-jwks'),
    issuer: read('ocm-issuer'),
    audience: read('ocm-audience'),
    'access-tokens': read('ocm-access-tokens'),
  };
  return async ({ client, clock, log, metrics }) => {
    const onTrouble = (error: unknown): void =>
      log.warn({ err: error }, 'reading the keys of callers failed; will retry');
    const authenticator = orPrefixed(() => authenticatorOf(values, { address, clock, onTrouble }));
    const { model, kinds } = loadModels(models);
    const objects = delegatedObjects({
      client,
      clock,
      manager: MANAGER,
      onTrouble({ plural }, message) {
        if (message === undefined) log.info({ plural }, 'watch restored');
        else log.warn({ plural, error: message }, 'watch interrupted; reconnecting');
      },
    });
    const store = kubernetesStore(
      {
        objects,
        clock,
        namespace: read('ocm-namespace') ?? 'default',
        writesAs,
        onRefused: (error) => log.warn({ error }, 'a request to the API server failed'),
      },
      kinds,
    );
    const listeners = new Set<() => void>();
    const api = new Api({
      model,
      store,
      authenticator,
      build: TROUPE_VERSION,
      now: () => clock.now(),
      newOperationId: randomUUID,
      newId: newIdentifier,
      onChange() {
        for (const listener of [...listeners]) listener();
      },
      onDefect: (error, operationId) => log.error({ err: error, operationId }, 'a request failed'),
    });
    try {
      const server = await serveHttp({
        api,
        clock,
        ...(named === undefined ? await freeFrom(address) : address),
        addressName: '--ocm-bind-address',
        tls,
        onAnswered: (each) => metrics?.onAnswered(each),
      });
      const stop = new AbortController();
      if (files !== undefined && tls !== undefined) {
        const onChange = (problem: string | undefined): void => {
          if (problem === undefined) log.info('another certificate is served');
          else log.warn({ error: problem }, 'the certificate of the models stays as it is');
        };
        void followFiles(files, tls, { clock, renew: (each) => server.renew(each), onChange, signal: stop.signal });
      }
      return {
        url: server.url,
        curl: curlFor(auth, values['token-file']),
        get problem() {
          const [first, ...others] = api.served.unread;
          const more = others.length === 0 ? '' : ` and of ${others.length} more`;
          return first === undefined ? undefined : `the objects of ${first}${more} are not read yet`;
        },
        onChange(listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        retire: () => server.retire(),
        async close() {
          stop.abort();
          await server.close();
          api.close();
          await store.close();
        },
      };
    } catch (error) {
      api.close();
      await store.close();
      throw error;
    }
  };
}

function orSaid<T>(option: OptionName, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new TerminalError(`--${option} must be ${(error as Error).message}`, { cause: error });
  }
}

/** The options of `troupe model serve` have the same names here, with a prefix. */
function orPrefixed<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    throw new TerminalError(error.message.replaceAll(/(^|\s)--/g, '$1--ocm-'), { cause: error });
  }
}

function curlFor(auth: string, tokenFile: string | undefined): string {
  if (auth === 'none') return 'curl';
  return `curl -H "Authorization: Bearer ${tokenFile === undefined ? '$TOKEN' : `$(cat ${shellWord(tokenFile)})`}"`;
}
