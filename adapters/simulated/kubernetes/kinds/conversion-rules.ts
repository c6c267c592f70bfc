// What `spec.conversion` and `status.storedVersions` of a CustomResourceDefinition must keep to.

import { dig, isMap, type JsonMap, listOf, mapOf, stringOf } from '../../../text/json.ts';
import { subdomainProblems } from '../../../text/names.ts';
import { type FieldError, forbidden, invalidValue, notSupported, required } from '../base/field-error.ts';
import { REVIEW_VERSIONS } from '../conversion/review.ts';

const PATH = 'spec.conversion';
const CONFIG = `${PATH}.webhookClientConfig`;
const REVIEWS = `${PATH}.conversionReviewVersions`;
const DESIRED = '; desired format: https://host[/path]';
const LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/** The paths in messages are those of the API server's internal form, in which the webhook is flat. */
export function conversionErrors(spec: JsonMap): FieldError[] {
  const conversion = mapOf(spec['conversion']);
  const strategy = stringOf(conversion['strategy']);
  const config = dig(conversion, 'webhook', 'clientConfig');
  const reviews = listOf(dig(conversion, 'webhook', 'conversionReviewVersions')).map(String);
  const errors: FieldError[] = [];
  if (strategy === '') errors.push(required(`${PATH}.strategy`));
  else if (strategy !== 'None' && strategy !== 'Webhook') {
    errors.push(notSupported(`${PATH}.strategy`, strategy, ['None', 'Webhook']));
  }
  if (strategy === 'Webhook') return [...errors, ...configErrors(config), ...reviewErrors(reviews)];
  const why = 'should not be set when strategy is not set to Webhook';
  if (isMap(config)) errors.push(forbidden(CONFIG, why));
  if (reviews.length > 0) errors.push(forbidden(REVIEWS, why));
  return errors;
}

function configErrors(config: unknown): FieldError[] {
  if (!isMap(config)) return [required(CONFIG, 'required when strategy is set to Webhook')];
  const { url, service } = config;
  if ((url === undefined) === (service === undefined)) {
    return [required(CONFIG, 'exactly one of url or service is required')];
  }
  return service === undefined ? urlErrors(stringOf(url)) : serviceErrors(mapOf(service));
}

function urlErrors(url: string): FieldError[] {
  const field = `${CONFIG}.url`;
  const parts =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:([^@/?#]*)@)?([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/.exec(url);
  if (parts === null || url.startsWith(':')) {
    return [
      required(field, `url must be a valid URL: parse ${JSON.stringify(url)}: missing protocol scheme${DESIRED}`),
    ];
  }
  const [, scheme = '', user = '', host = '', query = '', fragment = ''] = parts;
  const errors: FieldError[] = [];
  const refuse = (value: string, why: string): void => void errors.push(invalidValue(field, value, why));
  if (scheme.toLowerCase() !== 'https') refuse(scheme, `'https' is the only allowed URL scheme${DESIRED}`);
  if (host === '') refuse(host, `host must be specified${DESIRED}`);
  if (user !== '') refuse(user, 'user information is not permitted in the URL');
  if (fragment !== '') refuse(fragment, 'fragments are not permitted in the URL');
  if (query !== '') refuse(query, 'query parameters are not permitted in the URL');
  return errors;
}

function serviceErrors(service: JsonMap): FieldError[] {
  const field = `${CONFIG}.service`;
  const errors: FieldError[] = [];
  for (const key of ['name', 'namespace']) {
    if (stringOf(service[key]) === '') errors.push(required(`${field}.${key}`));
  }
  const port = service['port'] ?? 443;
  if (typeof port !== 'number' || port < 1 || port > 65_535) {
    const why = 'port is not valid: must be between 1 and 65535, inclusive';
    errors.push(invalidValue(`${field}.port`, port, why));
  }
  const path = stringOf(service['path']);
  if (path === '' || path === '/') return errors;
  const refuse = (why: string): void => void errors.push(invalidValue(`${field}.path`, path, why));
  if (!path.startsWith('/')) refuse("must start with a '/'");
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  for (const [index, step] of steps.entries()) {
    if (step === '') refuse(`segment[${index}] may not be empty`);
    else for (const problem of subdomainProblems(step)) refuse(`segment[${index}]: ${problem}`);
  }
  return errors;
}

function reviewErrors(reviews: readonly string[]): FieldError[] {
  if (reviews.length === 0) return [required(REVIEWS)];
  const errors: FieldError[] = [];
  for (const [index, version] of reviews.entries()) {
    const field = `${REVIEWS}[${index}]`;
    if (reviews.indexOf(version) < index) errors.push(invalidValue(field, version, 'duplicate version'));
    else if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(version)) errors.push(invalidValue(field, version, LABEL));
  }
  if (!reviews.some((version) => REVIEW_VERSIONS.includes(version))) {
    errors.push(invalidValue(REVIEWS, reviews, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`));
  }
  return errors;
}

/** Versions in which something may be stored must stay, and the one that is stored now is one of them. */
export function storedVersionErrors(spec: JsonMap, status: JsonMap): FieldError[] {
  const field = 'status.storedVersions';
  const stored = listOf(status['storedVersions']).map(String);
  if (stored.length === 0) return [invalidValue(field, [], 'must have at least one stored version')];
  const versions = listOf(spec['versions']).map(mapOf);
  const errors = versions
    .filter(({ name, storage }) => storage === true && !stored.includes(stringOf(name)))
    .map(({ name }) => invalidValue(field, stored, `must have the storage version ${stringOf(name)}`));
  for (const [index, name] of stored.entries()) {
    if (versions.some((version) => version['name'] === name)) continue;
    const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalidValue(`${field}[${index}]`, name, why));
  }
  return errors;
}
