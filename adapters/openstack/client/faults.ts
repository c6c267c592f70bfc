// Faults recognized from the messages that this adapter writes: conditions are all that other programs can read.
import { Fault } from '../../../bus/errors.ts';
import { quotaIn } from './quotas.ts';

/** Prefixes for the running step; the text of a cloud follows `answered`. */
const DOING = '^(?:[A-Za-z0-9 -]+: ){0,2}';
const CALL = String.raw`[A-Z]+ /\S* of service '[^']*'`;

const FAULTS: readonly (readonly [RegExp, Fault])[] = [
  [/^OpenStack credentials secret \S+ did not contain key /, Fault.Credentials],
  [/^failed to unmarshal clouds credentials stored in secret /, Fault.Credentials],
  [/^no cloud named: /, Fault.Credentials],
  [/^'auth_url' of the cloud /, Fault.Credentials],
  [/^this 'auth_type' of the cloud /, Fault.Credentials],
  [/^'.*' is missing in the cloud's 'auth'$/, Fault.Credentials],
  [/^authentication answered 4(?!29)/, Fault.Credentials],
  [/^the catalog has no \S+ endpoint of service /, Fault.Credentials],
  [/^authentication answered 5/, Fault.Unreachable],
  [/^the cloud does not answer: /, Fault.Unreachable],
  [new RegExp(`${DOING}${CALL} (?:failed: |was not answered by its deadline|was not read: )`), Fault.Unreachable],
  [new RegExp(`${DOING}${CALL} was not sent: authentication took too long`), Fault.Unreachable],
  [/^'[^']+' is .*, which is not allowed for clouds; /, Fault.Unreachable],
  // A deletion says nothing of the spec.
  // mutant: refused-deletion-is-spec ` -> $.replace('(?!DELETE )', '')
  [new RegExp(`${DOING}(?!DELETE )${CALL} answered 400\\b`), Fault.Spec],
];

const ANSWERED = new RegExp(`${DOING}${CALL} answered 4\\d\\d\\b`);

/** Undefined if no action of a person is needed, or the lines of the message differ. */
export function faultOf(message: string): Fault | undefined {
  const [first, ...others] = new Set(message.split('\n').map(faultOfLine));
  return others.length === 0 ? first : undefined;
}

function faultOfLine(line: string): Fault | undefined {
  if (quotaIn(line) !== undefined) return ANSWERED.test(line) ? Fault.Quota : undefined;
  return FAULTS.find(([pattern]) => pattern.test(line))?.[1];
}
