// BareMetalSwitch: the switches of a namespace in the format of Ironic's networking service, the key files, and the
// status of each switch. Pure.
//
// Invariants:
//   IRONIC-SWITCH-CONFIGS-1. What users write stays within its line: a switch with a value that has a line break or another control character is
//       left out whole, since a part of it would be another switch than meant.
//   IRONIC-SWITCH-CONFIGS-2. A Secret is read only in the namespace of its switch.
//   IRONIC-SWITCH-CONFIGS-3. No message repeats a value.

import { byBytes, ownMember } from '../json-values.ts';
import { type Condition, type Verdict, withConditions } from './condition.ts';
import type { Maybe, SecretReference } from './host-json.ts';
import { type SecretData, secretText } from './secret-text.ts';

export const SWITCH_CONFIGS_KEY = 'switch-configs.conf';

/** Pause until the Secret of a switch is looked up again, in milliseconds. */
export const SWITCH_CREDENTIALS_RETRY_MS = 10_000;

const HEADER = '# This file is managed by the Baremetal Operator';
const DRIVER = 'generic-switch';

/** What Ironic's networking service reads, in each namespace with switches. */
export interface SwitchSecrets {
  /** Name of the Secret with `SWITCH_CONFIGS_KEY`. */
  readonly configs: string;
  /** Name of the Secret with the private keys, each a file. */
  readonly credentials: string;
  /** The folder where that one is mounted. */
  readonly credentialsPath: string;
}

export interface BareMetalSwitch {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: Maybe<string>;
    readonly generation?: Maybe<number>;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: Maybe<{
    readonly address?: Maybe<string>;
    readonly macAddress?: Maybe<string>;
    readonly port?: Maybe<number>;
    readonly driver?: Maybe<string>;
    readonly deviceType?: Maybe<string>;
    readonly disableCertificateVerification?: Maybe<boolean>;
    readonly credentials?: Maybe<SecretReference>;
  }>;
  readonly status?: Maybe<{ readonly conditions?: Maybe<readonly Condition[]> }>;
}

export interface SwitchConfigs {
  /** Of `SWITCH_CONFIGS_KEY`. */
  readonly config: string;
  /** Private keys by the name of their file. */
  readonly keyFiles: Readonly<Record<string, string>>;
  /** In the order of the text; `conditions` is the new `status.conditions`. */
  readonly switches: readonly {
    readonly name: string;
    readonly isValid: boolean;
    readonly conditions: readonly Condition[];
  }[];
}

/**
 * All switches of a namespace, rendered.
 *
 * @param options.secrets  `data` of the Secrets of that namespace by name, in base64; one that is not there does not exist
 * @param options.credentialsPath  the folder where Ironic has the key files
 * @param options.refused  why the address of a switch may not be connected to, by the name of the switch
 * @param options.now  milliseconds since the epoch
 */
export function switchConfigs(
  switches: readonly BareMetalSwitch[],
  {
    secrets,
    credentialsPath,
    refused = new Map(),
    now,
  }: {
    readonly secrets: Readonly<Record<string, SecretData>>;
    readonly credentialsPath: string;
    readonly refused?: ReadonlyMap<string, string | undefined>;
    readonly now: number;
  },
): SwitchConfigs {
  const sorted = [...switches].sort((left, right) => byBytes(left.metadata.name, right.metadata.name));
  const rendered = sorted.map((each) => {
    const problem = refused.get(each.metadata.name);
    return { each, section: problem === undefined ? sectionOf(each, secrets, credentialsPath) : { problem } };
  });
  const sections = rendered.flatMap(({ section }) => ('problem' in section ? [] : [section]));
  return {
    config: [`${HEADER}\n`, ...sections.map(({ text }) => text)].join('\n'),
    keyFiles: Object.fromEntries(sections.flatMap(({ keyFile }) => (keyFile === undefined ? [] : [keyFile]))),
    switches: rendered.map(({ each: { metadata, status }, section }) => ({
      name: metadata.name,
      isValid: !('problem' in section),
      conditions: withConditions([verdictOf(section)], {
        stored: status?.conditions,
        generation: metadata.generation ?? undefined,
        now,
      }),
    })),
  };
}

interface Section {
  readonly text: string;
  /** Name and content. */
  readonly keyFile: readonly [string, string] | undefined;
}

interface Problem {
  readonly problem: string;
}

function verdictOf(section: Section | Problem): Verdict {
  return 'problem' in section
    ? { type: 'Valid', status: 'False', reason: 'CredentialError', message: section.problem }
    : { type: 'Valid', status: 'True', reason: 'Reconciled' };
}

function sectionOf(
  { metadata: { name, namespace }, spec }: BareMetalSwitch,
  secrets: Readonly<Record<string, SecretData>>,
  credentialsPath: string,
): Section | Problem {
  const { address, macAddress, port, driver, deviceType, disableCertificateVerification, credentials } = spec ?? {};
  if (!credentials?.name) return { problem: 'spec.credentials names no Secret' };
  if (credentials.namespace && credentials.namespace !== namespace) {
    return { problem: `the Secret '${credentials.name}' must be in the namespace of the switch` };
  }
  const login = loginOf(credentials.name, ownMember(secrets, credentials.name) as SecretData | undefined);
  if ('problem' in login) return login;
  const file = keyFileOf(macAddress ?? '');
  const lines: readonly (readonly [string, string | number | undefined | null])[] = [
    ['address', address ?? ''],
    ['mac_address', macAddress ?? ''],
    ['port', port],
    ['driver_type', driver || DRIVER],
    ['device_type', deviceType ?? ''],
    ['insecure', disableCertificateVerification === true ? 'true' : undefined],
    ['username', login.username],
    ...(login.key === undefined
      ? [['password', login.password] as const]
      : [['key_file', `${credentialsPath.replace(/\/+$/, '')}/${file}`] as const]),
    ['enable_secret', login.adminPassword],
  ];
  const broken = lines.find(([, value]) => typeof value === 'string' && hasControl(value));
  if (broken !== undefined) return { problem: `the value of '${broken[0]}' has a line break or a control character` };
  const reported = lines.filter(([, value]) => value !== undefined && value !== null);
  return {
    text: [`[switch:${name}]`, ...reported.map(([key, value]) => `${key}=${value}`), ''].join('\n'),
    keyFile: login.key === undefined ? undefined : [file, login.key],
  };
}

function keyFileOf(macAddress: string): string {
  return `${macAddress.replaceAll(':', '-')}.key`;
}

/** Whether a file is named like that of a switch. */
export function isKeyFile(name: string): boolean {
  return /^[0-9a-f]{2}(-[0-9a-f]{2}){5}\.key$/i.test(name);
}

interface Login {
  readonly username: string;
  readonly password: string | undefined;
  readonly key: string | undefined;
  readonly adminPassword: string | undefined;
}

/** A Secret has a user, and a private key or a password. White space around does not count, but for a key's. */
function loginOf(secret: string, data: SecretData | undefined): Login | Problem {
  if (data === undefined) return { problem: `the Secret '${secret}' does not exist` };
  const read = (key: string): string | undefined => secretText(data, key)?.trim() || undefined;
  const unreadable = ['username', 'password', 'ssh-privatekey', 'admin-password'].find(
    (key) => Object.hasOwn(data, key) && secretText(data, key) === undefined,
  );
  if (unreadable !== undefined) return { problem: `key '${unreadable}' of the Secret '${secret}' is not text` };
  const username = read('username');
  const password = read('password');
  const hasKey = read('ssh-privatekey') !== undefined;
  if (username === undefined) return { problem: `the Secret '${secret}' has no 'username'` };
  if (!hasKey && password === undefined) {
    return { problem: `the Secret '${secret}' has neither 'ssh-privatekey' nor 'password'` };
  }
  return {
    username,
    password,
    key: hasKey ? secretText(data, 'ssh-privatekey') : undefined,
    adminPassword: read('admin-password'),
  };
}

/** Also what some programs take for the end of a line. */
function hasControl(text: string): boolean {
  return /[\p{Cc}\u2028\u2029]/u.test(text);
}
