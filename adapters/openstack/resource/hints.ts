// Hints for users about the messages and the idleness of objects of this adapter. Pure.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { Fault } from '../../../bus/errors.ts';
import { ON_DELETE_ANNOTATION } from '../../../machines/annotations.ts';
import type { KnownDependencies, Reference } from '../../../machines/kind.ts';
import type { Hint } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { DRIFT_ANNOTATION, Drift } from '../base/object-options.ts';
import { faultOf } from '../client/faults.ts';
import { quotaIn } from '../client/quotas.ts';
import { AWAITS_IMPORT } from '../status/conditions.ts';
import { anew, pathsOf } from '../status/messages.ts';
import { ownershipHint } from '../status/ownership-messages.ts';
import { conflictHint } from './conflict-hints.ts';
import { replacedDependencyHint } from './references.ts';
import type { Content, Removable, ResourceFields } from './table.ts';

/** Parts of a kind that hints read; a kind without tables has no `resource`, and its whole spec is immutable. */
export interface AdvisedKind {
  references(object: KubeObject): readonly Reference[];
  readonly resource?: ResourceFields;
  readonly content?: Pick<Content, 'hintFor'>;
  readonly removable?: Removable;
}

/** Prefix of error texts that a retry cannot change. */
const TERMINAL = /^invalid configuration (?:creating (?:resource|image|Keypair)|updating resource): /;
const REFUSED_FOR_GOOD = /^invalid configuration [A-Za-z ]+: .* answered 4\d\d\b/;
/** Message about a dependency of a create; the resource of the object itself is read first. */
const ABSENT = /^(?:[a-z ]+: )?(?:POST|PUT) \/\S+ of service '[^']*' answered 404\b/;
/** Messages about failures of the resource that only the cloud's administrator can repair. */
const BROKEN =
  /^(?:Server is in ERROR state|Volume is in \S+ status|a glance error occurred while saving image content)$/;
const UNIMPORTED = 'referenced resource does not exist in OpenStack';
const IMPORT = 'nothing matches its import yet: create it there, or correct spec.import';
const LOST_IMPORT = /^(?:resource|role assignment) has been deleted from OpenStack$/;
/** 404 of a floating IP: all its dependencies exist, but there is no route between them. */
const UNROUTED = /answered 404\b.* is not reachable from subnet /s;
const UNROUTED_WHAT = 'a RouterInterface is missing';
/** Messages about drift that is only reported. */
const DRIFT = /^differs from the spec, and is not corrected: |, since drift is only reported$/;
/** Messages of Node and OpenSSL about a host's certificate. */
const CERTIFICATE = /certificate|issuer|CERT_/;
const CLOUDS_YAML = "the key 'clouds.yaml' of Secret/";

/**
 * @param message  message of the condition, or of its error
 * @returns undefined if there is no hint
 */
export function hintOn(
  kind: AdvisedKind,
  object: KubeObject,
  message: string,
  known: KnownDependencies = {},
): Hint | undefined {
  const fault = REFUSED_FOR_GOOD.test(message) ? Fault.Spec : faultOf(message);
  const first = message.split('\n')[0] ?? '';
  switch (fault) {
    case Fault.Credentials:
      return { at: placeOf(object).secret, todo: credentialsHint(object, first) + detachHint(kind, object) };
    case Fault.Unreachable:
      return { at: placeOf(object).cloud, todo: reachHint(object, first) + detachHint(kind, object) };
    case Fault.Spec: {
      const conflict = conflictHint(kind.resource, object, message);
      if (conflict !== undefined) return conflict;
      const what = TERMINAL.test(message) ? undefined : 'the cloud refuses this spec';
      return { ...(what !== undefined && { what }), todo: specHint(kind, object, message) };
    }
    case Fault.Quota: {
      const quota = quotaIn(first) ?? 'the quota';
      const at = `${quota} of the project of ${placeOf(object).cloud}`;
      return { at, todo: `raise ${quota}, or delete what uses it up` };
    }
    default:
      if (ownershipHint(message) !== undefined) return ownershipHint(message);
      if (DRIFT.test(message)) return { todo: driftHint(object) };
      if (replacedDependencyHint(message) !== undefined) return { todo: replacedDependencyHint(message) ?? '' };
      if (isRemovalRefused(kind, object, message)) return { todo: removalHint(kind, object) };
      if (UNROUTED.test(message)) return { what: UNROUTED_WHAT, todo: routeHint(object) };
      if (ABSENT.test(message)) return lossHint(kind, object, message, known);
      if (message === AWAITS_IMPORT) return { todo: IMPORT, isPatient: true };
      if (message === UNIMPORTED) return { todo: 'correct spec.import.id' };
      if (LOST_IMPORT.test(message)) return { todo: lostImportHint(object) };
      if (BROKEN.test(message)) return { todo: brokenHint(object) };
      return kind.content?.hintFor(object, message);
  }
}

/**
 * Hint how to delete an object without its cloud. Its status cannot prove that nothing was created, since a process may
 * have ended before the id was recorded; a person may know. Nothing is removed by it.
 */
function detachHint({ resource }: AdvisedKind, { kind, metadata, status }: KubeObject): string {
  if (metadata.deletionTimestamp === undefined) return '';
  const id = status?.['id'];
  const which = typeof id === 'string' && id !== '' ? `${id} may stay` : 'nothing was made, or may stay';
  const option = resource === undefined ? `annotation ${ON_DELETE_ANNOTATION}` : 'spec.managedOptions.onDelete';
  return `; or, if ${which}, set ${option} of ${kind}/${metadata.name} to detach: it goes then, and nothing is removed in the cloud`;
}

function driftHint({ kind, metadata: { name } }: KubeObject): string {
  return `bring the spec of ${kind}/${name} to what is there, or have it brought back with the annotation ${DRIFT_ANNOTATION}: ${Drift.Repair}`;
}

/** The hint never suggests to delete a resource that may be needed: the failure may be temporary. */
function brokenHint(object: KubeObject): string {
  const id = object.status?.['id'];
  return `check in the cloud why ${typeof id === 'string' ? id : 'it'} is in that state: once it is repaired there the object continues automatically, as it is polled with backoff`;
}

function lostImportHint({ kind, metadata: { name } }: KubeObject): string {
  return `delete ${kind}/${name}, which deletes nothing in the cloud, and import what there is`;
}

/** A deletion that the service rejects until a field of the spec requests the precondition. */
function isRemovalRefused({ removable }: AdvisedKind, { metadata }: KubeObject, message: string): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    removable?.askedBy !== undefined &&
    new RegExp(`^DELETE /\\S+ of service '[^']*' answered ${removable.refusal}\\b`).test(message)
  );
}

function removalHint({ removable }: AdvisedKind, { kind, metadata: { name } }: KubeObject): string {
  const { field, value } = removable?.askedBy ?? {};
  return `set spec.resource.${field} of ${kind}/${name} to ${value}, also while it is being deleted: that is done first, and then it is removed`;
}

function routeHint({ spec }: KubeObject): string {
  const { portRef, floatingNetworkRef, floatingSubnetRef } = (spec?.['resource'] ?? {}) as JsonObject;
  const outside =
    floatingNetworkRef === undefined ? `that of Subnet/${floatingSubnetRef}` : `Network/${floatingNetworkRef}`;
  return `create a RouterInterface between the subnet of Port/${portRef} and a Router whose externalGateways has ${outside}`;
}

/** The dependency's external resource was deleted, and its own object has not noticed yet. */
function lossHint(kind: AdvisedKind, object: KubeObject, message: string, known: KnownDependencies): Hint {
  const labels = kind
    .references(object)
    .flatMap(({ kind: of, name, neededFor }) => (of === 'Secret' || neededFor === 'never' ? [] : [`${of}/${name}`]));
  const named = labels.filter((label) => known[label] !== undefined && message.includes(known[label].id));
  const todo = (which: string): string =>
    `edit ${which}, or give it a spec.resyncPeriod: the next read finds it deleted, and re-creates it`;
  const [one] = named;
  if (one !== undefined) return { at: one, what: 'its resource is not in the cloud any more', todo: todo(one) };
  return { what: 'something that it refers to is not in the cloud any more', todo: todo(labels.join(' or ')) };
}

/** Location of the credentials, for people. */
function placeOf({ spec }: KubeObject): { readonly secret: string; readonly cloud: string; readonly entry: string } {
  const { secretName, cloudName } = (spec?.['cloudCredentialsRef'] ?? {}) as {
    readonly secretName?: string;
    readonly cloudName?: string;
  };
  // An interface has those of its router.
  if (secretName === undefined || cloudName === undefined) {
    const whose = `the credentials of Router/${spec?.['routerRef']}`;
    return { secret: whose, cloud: `the cloud of Router/${spec?.['routerRef']}`, entry: whose };
  }
  return {
    secret: `Secret/${secretName}`,
    cloud: `cloud '${cloudName}' of Secret/${secretName}`,
    entry: `cloud '${cloudName}' in ${CLOUDS_YAML}${secretName}`,
  };
}

function credentialsHint(object: KubeObject, message: string): string {
  const { secret, entry } = placeOf(object);
  const key = secret.startsWith('Secret/') ? `the key 'clouds.yaml' of ${secret}` : secret;
  if (/ did not contain key /.test(message)) return `put a clouds.yaml under ${key}`;
  if (/^failed to unmarshal /.test(message)) return `correct ${key}`;
  if (/^no cloud named: /.test(message))
    return `add ${entry}, or correct spec.cloudCredentialsRef.cloudName of ${object.kind}/${object.metadata.name}`;
  const member = /^(?:this )?'([\w.]+)'/.exec(message)?.[1];
  if (member !== undefined) return `correct '${member}' of ${entry}`;
  if (message.startsWith('the catalog ')) return `correct 'region_name' or 'endpoint_type' of ${entry}`;
  if (message.startsWith('authentication answered 404')) return `correct 'auth.auth_url' of ${entry}`;
  return `correct 'auth' of ${entry}: user, password or secret, project, domains`;
}

function reachHint(object: KubeObject, message: string): string {
  const { secret, entry } = placeOf(object);
  if (CERTIFICATE.test(message))
    return `put the authority that signs for the cloud under the key 'cacert' of ${secret}`;
  return `see that the cloud answers there, or correct 'auth.auth_url' of ${entry}`;
}

/** Only the cloud's text names the rejected field, so the text is searched for it. */
function specHint({ resource: fields = {} }: AdvisedKind, object: KubeObject, message: string): string {
  const { spec } = object;
  if (spec?.['import'] !== undefined) return 'correct spec.import';
  const given = (spec?.['resource'] ?? {}) as JsonObject;
  const stated = Object.keys(given).filter((name) => fields[name] !== undefined);
  const named = stated.filter((name) => isNamed(message, name, given[name] as Json, fields));
  const isFixed = (name: string): boolean => fields[name]?.schema.immutable === true;
  const suspects = named.length > 0 ? named : stated;
  const [fixed, free] = [suspects.filter(isFixed), suspects.filter((name) => !isFixed(name))];
  if (free.length === 0)
    return fixed.length === 0 ? anew(object) : `${pathsOf(fixed)} cannot be changed: ${anew(object)}`;
  if (fixed.length === 0) return `correct ${named.length > 0 ? pathsOf(free) : 'its spec'}`;
  const rest = named.length > 0 ? pathsOf(free) : 'its spec';
  return `correct ${rest}; where it is ${pathsOf(fixed)} that is refused, that cannot be changed: ${anew(object)}`;
}

/** The message names an attribute that the field is sent as, or quotes a value of it. */
function isNamed(message: string, name: string, value: Json, fields: ResourceFields): boolean {
  const attributes = Object.keys(fields[name]?.encode(value) ?? {});
  return (
    attributes.some((attribute) => isSaid(message, attribute)) || textsOf(value).some((text) => isQuoted(message, text))
  );
}

/** A common word like `name` counts only if the text marks it as an attribute. */
function isSaid(message: string, attribute: string): boolean {
  const word = `'?${RegExp.escape(attribute)}'?(?![\\w:])`;
  if (/[_:]/.test(attribute)) return new RegExp(`(?<![\\w:])${word}`).test(message);
  return new RegExp(`\\b(?:input for|field|attribute|parameter) ${word}`, 'i').test(message);
}

function isQuoted(message: string, text: string): boolean {
  return (
    text.length > 2 &&
    text.length <= message.length &&
    new RegExp(`(?:^|[\\s'"(\\[])${RegExp.escape(text)}(?:[\\s'"),.\\]]|$)`).test(message)
  );
}

/** All texts in a value. */
function textsOf(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value as JsonObject).flatMap(textsOf) : [];
}
