// Rules of Secrets: their types and the keys that each must hold.

import { isMap, type JsonMap, mapOf, same, stringOf } from '../../../text/json.ts';
import { type FieldError, invalidValue, required } from '../base/field-error.ts';
import { jsonProblem } from '../base/json-text.ts';
import type { KubeObject } from '../base/kube-object.ts';
import type { Strategy } from '../resources/api.ts';
import { checkKeys, dataBytes, immutableErrors, tooMuchData } from './data-rules.ts';

const SERVICE_ACCOUNT_NAME = 'kubernetes.io/service-account.name';

export const SECRET_STRATEGY: Partial<Strategy> = {
  checksWholeOnUpdate: true,
  complete(next) {
    if (isMap(next['stringData'])) {
      const data: JsonMap = { ...mapOf(next['data']) };
      for (const [key, value] of Object.entries(next['stringData'])) {
        data[key] = Buffer.from(stringOf(value)).toString('base64');
      }
      next['data'] = data;
    }
    delete next['stringData'];
    if (stringOf(next['type']) === '') next['type'] = 'Opaque';
  },
  validate(next, old) {
    const { data } = next;
    const errors = [
      ...checkKeys('data', data),
      ...tooMuchData('data', dataBytes(data, 'base64')),
      ...typeErrors(next, mapOf(data)),
    ];
    if (old === undefined) return errors;
    const isOther = next['type'] !== old['type'];
    const changes = isOther ? [invalidValue('type', next['type'], 'field is immutable')] : [];
    return [...changes, ...immutableErrors(next, old, ['data']), ...errors];
  },
  warnings(next, old) {
    const { data, type } = next;
    if (type !== 'kubernetes.io/tls' || (old !== undefined && same(data, old['data']))) return [];
    const isPem = (key: string): boolean => Buffer.from(stringOf(mapOf(data)[key]), 'base64').includes('-----BEGIN ');
    if (!isPem('tls.crt')) return ['tls: failed to find any PEM data in certificate input'];
    return isPem('tls.key') ? [] : ['tls: failed to find any PEM data in key input'];
  },
};

function typeErrors({ type, metadata }: KubeObject, data: JsonMap): FieldError[] {
  const lacking = (...keys: readonly string[]): FieldError[] =>
    keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(`data[${key}]`));
  switch (type) {
    case 'kubernetes.io/service-account-token': {
      const named = metadata.annotations?.[SERVICE_ACCOUNT_NAME] ?? '';
      return named === '' ? [required(`metadata.annotations[${SERVICE_ACCOUNT_NAME}]`)] : [];
    }
    case 'kubernetes.io/dockercfg':
      return jsonErrors(data, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return jsonErrors(data, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth': {
      const keys = ['username', 'password'];
      return keys.some((key) => Object.hasOwn(data, key)) ? [] : lacking(...keys);
    }
    case 'kubernetes.io/ssh-auth':
      return stringOf(data['ssh-privatekey']) === '' ? [required('data[ssh-privatekey]')] : [];
    case 'kubernetes.io/tls':
      return lacking('tls.crt', 'tls.key');
    default:
      return [];
  }
}

/** Errors about a key that must hold a JSON object; what it holds is not shown. */
function jsonErrors(data: JsonMap, key: string): FieldError[] {
  if (!Object.hasOwn(data, key)) return [required(`data[${key}]`)];
  const bytes = Buffer.from(stringOf(data[key]), 'base64');
  const refuse = (why: string): FieldError[] => [invalidValue(`data[${key}]`, '<secret contents redacted>', why)];
  try {
    const value: unknown = JSON.parse(bytes.toString());
    if (value === null || isMap(value)) return [];
    const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    return refuse(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`);
  } catch (error) {
    if (error instanceof SyntaxError) return refuse(jsonProblem(bytes));
    throw error;
  }
}
