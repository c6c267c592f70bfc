// The role `visualizer`: serves the page and its data, in a process with a bus and a client of the API server.
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import type { KubeClient } from '../../adapters/kubernetes/mod.ts';
import { type Bus, type Clock, TerminalError, toErrorData } from '../../bus/mod.ts';
import type { Config } from '../base/config.ts';
import { freeFrom } from '../base/free-address.ts';
import { registryOf } from '../effects/operations-service.ts';
import { serveVisualizer, type Visualizer } from './server.ts';
import { source } from './source.ts';

export interface VisualizerDeps {
  readonly bus: Bus;
  readonly client: KubeClient;
  readonly adapters: readonly ConfiguredAdapter[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Shorter ones may be found by trying, in characters. */
const TOKEN_LENGTH = 16;

/**
 * Serves the page at the configured address; it costs nothing until a reader opens it.
 *
 * @returns undefined: it is served nowhere
 * @throws {TerminalError} the address is taken, or is none of this machine's; the token is no token
 */
export async function startVisualizer(
  { visualizer, namespaces }: Pick<Config, 'visualizer' | 'namespaces'>,
  { bus, client, adapters, clock, log }: VisualizerDeps,
): Promise<Visualizer | undefined> {
  if (visualizer === undefined) return undefined;
  const token = await tokenIn(visualizer.tokenFile);
  const address = visualizer.port === 'or later' ? await freeFrom(visualizer.address) : visualizer.address;
  const known = registryOf(adapters);
  const reported = source({ bus, client, registry: known, adapters, namespaces, clock, log });
  const served = await serveVisualizer({ source: reported, address, token, clock });
  return {
    ...served,
    async close() {
      await served.close();
      await reported.close();
    },
  };
}

/** @throws {TerminalError} the file cannot be read, or holds too little */
async function tokenIn(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  let token: string;
  try {
    token = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new TerminalError(`--visualizer-token-file: ${toErrorData(error).message}`, { cause: error });
  }
  if (token.length >= TOKEN_LENGTH && !/\s/.test(token)) return token;
  throw new TerminalError(
    `--visualizer-token-file must name a file with at least ${TOKEN_LENGTH} characters in a row; got ${token.length} in '${file}'`,
  );
}
