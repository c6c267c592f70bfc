// Options of `troupe model serve`: address, authentication and limits.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import {
  type Authenticator,
  accessTokens,
  noAuthentication,
  readAccessTokens,
  reloadedKeys,
  sharedToken,
  webTokens,
} from '../../../adapters/ocm/gateway/mod.ts';
import { TerminalError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import { isLoopback, type ListenAddress, parseListenAddress } from '../../base/listen-address.ts';
import { orRefuse } from './session.ts';

type Values = Readonly<Record<string, string | boolean | undefined>>;

export interface AuthenticatorDeps {
  readonly address: ListenAddress;
  readonly clock: Clock;
  readonly onTrouble: (error: unknown) => void;
}

const KEYS_MS = 10_000;

/** @throws {TerminalError} it is none */
export function listenAddressOf(values: Values): ListenAddress {
  const given = String(values['bind-address']);
  try {
    const address = parseListenAddress(given);
    if (address !== undefined) return address;
  } catch (error) {
    throw new TerminalError(`--bind-address is not '${given}'`, { cause: error });
  }
  throw new TerminalError(`--bind-address is an address like '127.0.0.1:8000', and not '${given}'`);
}

/** @throws {TerminalError} options that do not belong together, or a file that cannot be read */
export function authenticatorOf(values: Values, deps: AuthenticatorDeps): Authenticator {
  const main = mainOf(values, deps);
  const file = values['access-tokens'];
  return typeof file === 'string'
    ? accessTokens(readAccessTokens(orRefuse(() => readFileSync(file, 'utf8'))), main)
    : main;
}

function mainOf(values: Values, { address, clock, onTrouble }: AuthenticatorDeps): Authenticator {
  const mode = values['auth'];
  switch (mode) {
    case 'none':
      // mutant: gateway-none-for-all if -> false
      if (!isLoopback(address.host)) {
        throw new TerminalError(
          `--auth none is for this machine only, and --bind-address '${address.host || 'all addresses'}' is open to others: use --auth token or jwks`,
        );
      }
      return noAuthentication();
    case 'token': {
      const file = values['token-file'];
      if (typeof file !== 'string')
        throw new TerminalError("--auth token needs --token-file; 'troupe model token' prints one");
      const token = orRefuse(() => readFileSync(file, 'utf8')).trim();
      if (token === '') throw new TerminalError(`'${file}' is empty, and should have a token`);
      return sharedToken(token);
    }
    case 'jwks': {
      const source = values['jwks'];
      if (typeof source !== 'string') throw new TerminalError('--auth jwks needs --jwks with a file or a URL');
      const now = (): number => clock.now();
      const findKey = reloadedKeys({ load: () => keysFrom(source), now });
      const [issuer, audience] = [claimOf(values, 'issuer'), claimOf(values, 'audience')];
      return webTokens({ findKey, now, issuer, audience, onTrouble });
    }
    default:
      throw new TerminalError(`--auth is 'none', 'token' or 'jwks', not '${mode}'`);
  }
}

/** @throws {TerminalError} it is empty: such a claim would not be checked */
function claimOf(values: Values, name: 'issuer' | 'audience'): string | undefined {
  const value = values[name];
  // mutant: gateway-empty-issuer if -> false
  if (value === '') throw new TerminalError(`--${name} is empty, and should be what tokens have`);
  return typeof value === 'string' ? value : undefined;
}

async function keysFrom(source: string): Promise<unknown> {
  if (!/^https?:\/\//.test(source)) return JSON.parse(await readFile(source, 'utf8'));
  const response = await fetch(source, { signal: AbortSignal.timeout(KEYS_MS) });
  if (!response.ok) throw new Error(`'${source}' answers ${response.status}`);
  return response.json();
}
