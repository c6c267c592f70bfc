// FirmwareSchema: which BIOS settings there are and what they may be set to, as Ironic's `bios?detail=true` tells it. Pure.

import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../bus/json.ts';
import { byBytes, integerOf, listOf, mapOf, textOf, wordOf } from '../json-values.ts';
import type { Maybe } from './host-json.ts';

/** One of `bios` in the answer of `GET /v1/nodes/{id}/bios?detail=true`, without what is null. */
export interface BiosSetting {
  readonly name: string;
  /** Empty: Ironic does not know it. */
  readonly value: string;
  /** Empty: Ironic does not know it. */
  readonly attribute_type: string;
  readonly allowable_values?: readonly string[];
  readonly lower_bound?: number;
  readonly upper_bound?: number;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly read_only?: boolean;
  readonly unique?: boolean;
}

/** What FirmwareSchema says of a setting. */
export type SettingSchema = Partial<Omit<BiosSetting, 'name' | 'value'>>;

export const AttributeType = {
  Enumeration: 'Enumeration',
  String: 'String',
  Integer: 'Integer',
  Boolean: 'Boolean',
  Password: 'Password',
} as const;

const TYPES: ReadonlySet<string> = new Set(Object.values(AttributeType));

/** Part of the name of a setting that must not be read or set. */
const SECRET = 'Password';

export function isSecretSetting(name: string): boolean {
  return name.includes(SECRET);
}

/** The settings in an answer of Ironic; what has no name is left out. */
export function biosSettings(answer: unknown): readonly BiosSetting[] {
  return listOf(mapOf(answer)['bios'])
    .map(mapOf)
    .filter(({ name }) => textOf(name) !== '')
    .map(
      (reported): BiosSetting => ({
        name: textOf(reported['name']),
        value: wordOf(reported['value']),
        attribute_type: textOf(reported['attribute_type']),
        ...allowedIn(reported),
        ...numberIn(reported, 'lower_bound'),
        ...numberIn(reported, 'upper_bound'),
        ...numberIn(reported, 'min_length'),
        ...numberIn(reported, 'max_length'),
        ...flagIn(reported, 'read_only'),
        ...flagIn(reported, 'unique'),
      }),
    );
}

function allowedIn({ allowable_values: allowed }: JsonObject): Pick<BiosSetting, 'allowable_values'> {
  return Array.isArray(allowed) ? { allowable_values: allowed.map(wordOf) } : {};
}

function numberIn<Key extends string>(reported: JsonObject, key: Key): { readonly [K in Key]?: number } {
  const number = integerOf(reported[key]);
  return number === undefined ? {} : ({ [key]: number } as { readonly [K in Key]: number });
}

function flagIn<Key extends string>(reported: JsonObject, key: Key): { readonly [K in Key]?: boolean } {
  const flag = reported[key];
  return typeof flag === 'boolean' ? ({ [key]: flag } as { readonly [K in Key]: boolean }) : {};
}

/**
 * The name of the FirmwareSchema of these settings: equal hardware has equal settings and shares one. The values that
 * they have do not count, those with passwords do.
 */
export function firmwareSchemaName(settings: readonly BiosSetting[]): string {
  const facts = settings.flatMap((setting) => [
    setting.name,
    setting.attribute_type,
    ...(setting.allowable_values ?? []),
    ...[setting.lower_bound, setting.upper_bound, setting.min_length, setting.max_length, setting.read_only]
      .filter((fact) => fact !== undefined)
      .map(String),
  ]);
  const text = `[${facts.sort(byBytes).join(' ')}]`;
  return `schema-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}

export interface FirmwareSchemaSpec {
  readonly hardwareVendor?: string;
  readonly hardwareModel?: string;
  readonly schema: Readonly<Record<string, SettingSchema>>;
}

/** `status.hardware.systemVendor` of a BareMetalHost. */
export interface SystemVendor {
  readonly manufacturer?: Maybe<string>;
  readonly productName?: Maybe<string>;
}

/** `spec` of the FirmwareSchema of these settings. */
export function firmwareSchemaSpec(settings: readonly BiosSetting[], vendor?: Maybe<SystemVendor>): FirmwareSchemaSpec {
  const { manufacturer, productName } = vendor ?? {};
  const shown = settings.filter(
    ({ name, attribute_type: type }) => !isSecretSetting(name) && type !== AttributeType.Password,
  );
  return {
    ...(manufacturer && { hardwareVendor: manufacturer }),
    ...(productName && { hardwareModel: productName }),
    schema: Object.fromEntries(shown.map((setting) => [setting.name, settingSchema(setting)])),
  };
}

/** A setting of a type that the API does not know could not be stored, and must not be set: it is kept as read-only. */
function settingSchema({ name: _, value: __, attribute_type: type, ...bounds }: BiosSetting): SettingSchema {
  if (type === '') return bounds;
  return TYPES.has(type) ? { attribute_type: type, ...bounds } : { ...bounds, read_only: true };
}

/**
 * Problem of a wanted value of a setting; undefined if it is valid. Never contains the value.
 *
 * @param value  a whole number or text, as `spec.settings` of HostFirmwareSettings has it
 */
export function settingProblem(name: string, value: unknown, schema: SettingSchema): string | undefined {
  const reason = reasonAgainst(value, schema);
  return reason === undefined ? undefined : `Setting ${name} is invalid, ${reason}`;
}

function reasonAgainst(value: unknown, schema: SettingSchema): string | undefined {
  if (schema.read_only === true) return 'it is read-only';
  const text = wordOf(value);
  switch (schema.attribute_type ?? '') {
    case '':
      return undefined;
    case AttributeType.Enumeration: {
      const allowed = schema.allowable_values ?? [];
      return allowed.includes(text) ? undefined : `its value must be one of: ${allowed.join(', ')}`;
    }
    case AttributeType.Integer:
      // Without a limit of its own, a long row of digits would be another number than it says.
      if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(Number(text))) return 'its value must be a whole number';
      return outOf(Number(text), schema.lower_bound, schema.upper_bound, 'its value');
    case AttributeType.String:
      return outOf([...text].length, schema.min_length, schema.max_length, 'the length of its value');
    case AttributeType.Boolean:
      return text === 'true' || text === 'false' ? undefined : "its value must be 'true' or 'false'";
    case AttributeType.Password:
      return 'passwords cannot be set';
    default:
      return 'it is of an unknown type';
  }
}

function outOf(measure: number, least: Maybe<number>, most: Maybe<number>, what: string): string | undefined {
  if (least != null && measure < least) return `${what} must be at least ${least}`;
  if (most != null && measure > most) return `${what} must be at most ${most}`;
  return undefined;
}
