// Findings of the comparison of two API trees, and its rules.
import type { Position } from '../protos/mod.ts';

export const Severity = { Break: 'break', Warn: 'warn', Info: 'info' } as const;
export type Severity = (typeof Severity)[keyof typeof Severity];

/** When a member that may not go yet may go. */
export interface Permitted {
  /** Counted from 1 in the order of publication. */
  readonly release: number;
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

export interface Finding {
  readonly rule: RuleId;
  readonly severity: Severity;
  readonly group: string;
  readonly version: string;
  /** `Message.field`, `Service.Rpc`, `Enum.VALUE`; empty where the version as a whole is meant. */
  readonly element: string;
  readonly text: string;
  /** Position in the new tree, or in the old one for a removed part. */
  readonly at: Position;
  readonly permitted?: Permitted;
}

export interface Rule {
  /** Checked change. */
  readonly change: string;
  /** Broken clients and reason. */
  readonly breaks: string;
  readonly remedy: string;
}

const NEW_VERSION = 'keep it as it was, and make the change in a new version';
const DEPRECATE = 'mark it deprecated, release that, and remove it when its time is over';

export const RULES = {
  C00: {
    change: 'any change of a released version, where versions are immutable',
    breaks: 'a client cannot tell which servers know the change',
    remedy: NEW_VERSION,
  },
  C01: { change: 'version removed', breaks: 'every client of the version finds no pipe', remedy: DEPRECATE },
  C02: { change: 'group removed', breaks: 'every client of the group finds no pipe', remedy: DEPRECATE },
  C03: {
    change: 'package or service renamed, or service removed',
    breaks: 'the path of every method changes: clients get UNIMPLEMENTED',
    remedy: 'keep package and service as they were',
  },
  C04: { change: 'RPC removed', breaks: 'clients that call it get UNIMPLEMENTED', remedy: DEPRECATE },
  C05: {
    change: 'RPC renamed',
    breaks: 'clients that call it by its old name get UNIMPLEMENTED',
    remedy: 'keep the old RPC beside the new one, and let the server forward it',
  },
  C06: {
    change: 'request or response type of an RPC replaced',
    breaks: 'the source of clients, and the signature all versions share, even where the shapes agree',
    remedy: 'change the message in place as the other rules allow, or add an RPC',
  },
  C07: { change: 'unary changed to streaming, or back', breaks: 'clients of the RPC fail', remedy: 'add an RPC' },
  C08: {
    change: 'message removed that an RPC uses',
    breaks: 'the source of clients that use the message',
    remedy: NEW_VERSION,
  },
  C09: {
    change: 'field removed',
    breaks: 'what clients send is lost, what they expect stays empty; a later reuse of the number is misread',
    remedy: `${DEPRECATE}; reserve its number and its name then`,
  },
  C10: { change: "field's number changed", breaks: 'old peers miss the field', remedy: 'give it its number back' },
  C11: {
    change: 'number or name used again',
    breaks: 'old peers misread the field',
    remedy: 'take a number and a name that were never used',
  },
  C12: {
    change: "field's type changed",
    breaks: 'values of old peers are cut or misread, and the source of clients',
    remedy: 'keep the field, and add one of the new type under a new name',
  },
  C13: {
    change: 'single, repeated or map changed',
    breaks: 'values of old peers are lost or misread',
    remedy: 'keep the field, and add another',
  },
  C14: {
    change: 'field renamed',
    breaks: 'JSON and the source of clients; the binary form survives',
    remedy: 'give it its name back, or rename it in a new version',
  },
  C15: {
    change: 'field moved into or out of a oneof',
    breaks: 'values that old peers set together clear each other, and the source of clients',
    remedy: NEW_VERSION,
  },
  C16: { change: 'JSON name changed', breaks: 'JSON of old peers', remedy: 'give it its JSON name back' },
  C17: {
    change: 'enum value removed, renumbered or renamed',
    breaks: 'old peers send and expect the old value',
    remedy: NEW_VERSION,
  },
  C18: {
    change: 'field added',
    breaks: 'nothing: absent means as before, and servers without it ignore it',
    remedy: 'a client that needs the field must cope with servers that ignore it',
  },
  C19: {
    change: 'field required',
    breaks: 'requests of old clients, which do not carry it',
    remedy: 'give it a default, or require it in a new version',
  },
  C20: {
    change: 'RPC added',
    breaks: 'nothing: servers without it answer UNIMPLEMENTED',
    remedy: 'a client that calls it must cope with UNIMPLEMENTED',
  },
  C21: {
    change: 'enum value added that responses may carry',
    breaks: 'old clients meet a value they do not know',
    remedy: 'add it in a new version, or declare an enum open (// +open-enum) from its first release on',
  },
  C22: {
    change: 'enum value added that only requests carry',
    breaks: 'servers without it, unless they refuse it cleanly',
    remedy: 'make sure that servers refuse unknown values with INVALID_ARGUMENT',
  },
  C23: { change: 'syntax changed', breaks: 'what an absent field means', remedy: 'go back to the syntax it had' },
  C24: { change: 'comment changed', breaks: 'nothing', remedy: 'nothing' },
  C25: {
    change: 'deprecation mark added',
    breaks: 'nothing: the next release starts the clock',
    remedy: 'say in the release notes what to use instead',
  },
  C26: { change: 'deprecation mark removed', breaks: 'nothing: another mark starts a new clock', remedy: 'nothing' },
  C27: {
    change: 'reserved entry removed',
    breaks: 'nothing yet; that the number or name is used again could not be noticed any more',
    remedy: 'put the entry back',
  },
  C28: {
    change: 'new version below a stable one of its major number',
    breaks: 'the promise that a stable version is the last of its major number',
    remedy: 'begin the next major number with its first alpha',
  },
  C29: {
    change: 'first version of a group or major number is no alpha',
    breaks: 'nothing yet; there is no way back from what a beta or stable version promises',
    remedy: 'begin with an alpha',
  },
  C30: {
    change: 'stable version without a beta before it',
    breaks: 'nothing yet; there is no way back from what a stable version promises',
    remedy: 'release a beta first',
  },
  C31: {
    change: 'recorded request refused',
    breaks: 'clients whose requests were accepted so far',
    remedy: 'accept it again, or refuse it in a new version',
  },
  C32: {
    change: 'recorded response changed',
    breaks: 'clients that rely on the response',
    remedy: 'answer as before, or differently in a new version',
  },
  C33: {
    change: 'generated code out of date',
    breaks: 'server and clients do not speak what the protos say',
    remedy: "run 'troupe csi-proxy gen' and commit what it writes",
  },
} as const satisfies Readonly<Record<string, Rule>>;
export type RuleId = keyof typeof RULES;

const RANK: Readonly<Record<Severity, number>> = { break: 0, warn: 1, info: 2 };

export function worst(severities: readonly Severity[]): Severity | undefined {
  return severities.toSorted((a, b) => RANK[a] - RANK[b])[0];
}
