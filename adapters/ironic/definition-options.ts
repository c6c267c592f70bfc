// CRD options of this adapter: the phase of the move to v1beta1, and the webhook that converts meanwhile.
import { readFile } from 'node:fs/promises';
import { TerminalError, toErrorData } from '../../bus/errors.ts';
import type { Flag, FlagValue, Settings } from '../api/adapter.ts';
import type { KindDefinition } from '../api/contract/crds.ts';
import { contractsIn } from './api/contracts.ts';
import { PHASES, type Phase, type WebhookClientConfig, type WebhookService } from './api/definitions.ts';
import { checkAuthorities } from './client/connection.ts';

export const DEFINITION_FLAGS = [
  {
    name: 'metal3-phase',
    variable: 'TROUPE_METAL3_PHASE',
    value: '0|1|2|3|4',
    fallback: '0',
    help: 'how far metal3.io is on its way to v1beta1: 0 v1alpha1 alone, 1 both, v1alpha1 stored, 2 both, v1beta1 stored, 3 v1alpha1 served no more, 4 v1beta1 alone',
  },
  {
    name: 'metal3-webhook',
    variable: 'TROUPE_METAL3_WEBHOOK',
    value: 'NAMESPACE/NAME',
    help: 'the Service that converts between the two versions, at /convert; a port other than 443 behind a colon. Phases 1 to 3 need it',
  },
  {
    name: 'metal3-webhook-ca',
    variable: 'TROUPE_METAL3_WEBHOOK_CA',
    value: 'FILE',
    fallback: 'left as it is in the cluster',
    help: 'who signed its certificate, in PEM',
  },
] as const satisfies readonly Flag[];

type FlagName = (typeof DEFINITION_FLAGS)[number]['name'];

/** @throws {TerminalError} names the flag or variable, the rule, and what it got */
export async function metal3Definitions({ flag }: Pick<Settings, 'flag'>): Promise<readonly KindDefinition[]> {
  const given = (name: FlagName): FlagValue => flag(name);
  const [asked, place, authorities] = [given('metal3-phase'), given('metal3-webhook'), given('metal3-webhook-ca')];
  const phase = phaseOf(asked);
  // With a single version no conversion is needed, whatever the environment has for other phases.
  if (PHASES[phase]?.length === 1) return contractsIn({ phase });
  if (place.value === undefined) {
    const todo = 'name its Service with --metal3-webhook NAMESPACE/NAME';
    throw new TerminalError(`${asked.name} ${phase} has two versions, which a webhook has to convert between: ${todo}`);
  }
  const service = serviceOf(place.name, place.value);
  const caBundle = authorities.value === undefined ? undefined : await bundleOf(authorities.name, authorities.value);
  const webhook: WebhookClientConfig = { service, ...(caBundle !== undefined && { caBundle }) };
  return contractsIn({ phase, webhook });
}

function phaseOf({ name, value = '0' }: FlagValue): Phase {
  const phase = ([0, 1, 2, 3, 4] as const).find((each) => String(each) === value);
  if (phase === undefined) throw new TerminalError(`${name} must be 0, 1, 2, 3 or 4; got '${value}'`);
  return phase;
}

/** A namespace, a Service, whose name begins with a letter, and maybe a port. */
const SERVICE = /^([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)\/([a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)(?::([0-9]{1,5}))?$/;

function serviceOf(option: string, value: string): WebhookService {
  const [, namespace, name, digits] = SERVICE.exec(value) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (namespace === undefined || name === undefined || port === 0 || (port !== undefined && port > 65_535)) {
    throw new TerminalError(
      `${option} must be NAMESPACE/NAME of a Service, such as troupe-system/troupe-webhooks; got '${value}'`,
    );
  }
  return { namespace, name, ...(port !== undefined && { port }) };
}

/** PEM, in base64. It is shown to all who read definitions: a key has no place there. */
async function bundleOf(option: string, path: string): Promise<string> {
  let pem: string;
  try {
    pem = await readFile(path, 'utf8');
  } catch (error) {
    throw new TerminalError(
      `${option} must name a file that can be read; got '${path}': ${toErrorData(error).message}`,
    );
  }
  checkAuthorities(pem, `${option}: '${path}'`);
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) {
    throw new TerminalError(`${option}: '${path}' holds a private key; it must hold certificates alone`);
  }
  return Buffer.from(pem).toString('base64');
}
