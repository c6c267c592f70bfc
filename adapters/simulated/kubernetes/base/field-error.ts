// An error about one field of an object, worded as the API server words it.
import { jsonText } from '../../../text/exact-json.ts';
import { canonical, isWhole } from '../../../text/json.ts';

export const FieldErrorType = {
  Required: 'FieldValueRequired',
  Invalid: 'FieldValueInvalid',
  TypeInvalid: 'FieldValueTypeInvalid',
  NotSupported: 'FieldValueNotSupported',
  NotFound: 'FieldValueNotFound',
  Duplicate: 'FieldValueDuplicate',
  Forbidden: 'FieldValueForbidden',
  TooLong: 'FieldValueTooLong',
  TooMany: 'FieldValueTooMany',
} as const;
export type FieldErrorType = (typeof FieldErrorType)[keyof typeof FieldErrorType];

export interface FieldError {
  readonly type: FieldErrorType;
  /** Path from the root of the object: `spec.ports[0].name`. */
  readonly field: string;
  /** Everything after the path: `Invalid value: 0: must be positive`. */
  readonly body: string;
}

const TITLES: Record<FieldErrorType, string> = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueTypeInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueNotFound: 'Not found',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
};

/** Stands for "do not show the value". */
export const OMITTED = Symbol('omitted');

function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return isWhole(value) ? String(value) : goNumber(value);
  return escapedJson(canonical(value));
}

/** JSON as the API server's messages have it: safe within HTML. */
function escapedJson(json: string): string {
  return json.replaceAll(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

/** The text in quotes; what cannot be printed is escaped. */
function quoted(text: string): string {
  return JSON.stringify(text)
    .replaceAll(/\\u00([0-9a-f]{2})/g, (_, code: string) =>
      code === '07' ? '\\a' : code === '0b' ? '\\v' : `\\x${code}`,
    )
    .replaceAll('\x7f', '\\x7f')
    .replaceAll(/[\u0080-\u00a0\u00ad\p{Zl}\p{Zp}\p{Co}\p{Cn}\ufeff\u200b-\u200f]/gu, (one) => {
      const code = (one.codePointAt(0) ?? 0).toString(16);
      return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
    });
}

/** A floating point number as the API server's messages write it: with an exponent from a million on. */
export function goNumber(value: number): string {
  const magnitude = Math.abs(value);
  if (value === 0 || (magnitude >= 1e-4 && magnitude < 1e6)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

function withValue(type: FieldErrorType, field: string, value: unknown, detail: string): FieldError {
  const parts = [TITLES[type]];
  if (value !== OMITTED) parts.push(shown(value));
  if (detail !== '') parts.push(detail);
  return { type, field, body: parts.join(': ') };
}

function withoutValue(type: FieldErrorType, field: string, detail: string): FieldError {
  return { type, field, body: detail === '' ? TITLES[type] : `${TITLES[type]}: ${detail}` };
}

export const required = (field: string, detail = ''): FieldError =>
  withoutValue(FieldErrorType.Required, field, detail);

export const forbidden = (field: string, detail: string): FieldError =>
  withoutValue(FieldErrorType.Forbidden, field, detail);

export const invalidValue = (field: string, value: unknown, detail: string): FieldError =>
  withValue(FieldErrorType.Invalid, field, value, detail);

/** For a value that is shown with its fields in an order of their own. */
export const invalidRecord = (field: string, value: object, detail: string): FieldError =>
  withoutValue(FieldErrorType.Invalid, field, `${escapedJson(jsonText(value))}: ${detail}`);

export const typeInvalid = (field: string, value: unknown, detail: string): FieldError =>
  withValue(FieldErrorType.TypeInvalid, field, value, detail);

export const duplicate = (field: string, value: unknown, detail = ''): FieldError =>
  withValue(FieldErrorType.Duplicate, field, value, detail);

export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError =>
  withValue(
    FieldErrorType.NotSupported,
    field,
    value,
    supported.length === 0 ? '' : `supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`,
  );

/** @param max  in bytes, though for schemas the API server counts characters and says bytes all the same */
export const tooLong = (field: string, max: number): FieldError =>
  withoutValue(FieldErrorType.TooLong, field, `may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`);

export const tooMany = (field: string, actual: number, max: number): FieldError =>
  withValue(FieldErrorType.TooMany, field, actual, `must have at most ${max} ${max === 1 ? 'item' : 'items'}`);

/** The errors in one line, without repetitions. */
export function aggregate(errors: readonly FieldError[]): string {
  const lines = [...new Set(errors.map((error) => `${error.field}: ${error.body}`))];
  return lines.length === 1 ? (lines[0] ?? '') : `[${lines.join(', ')}]`;
}
