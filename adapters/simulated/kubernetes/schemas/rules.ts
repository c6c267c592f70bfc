// The x-kubernetes-validations rules of a schema, compiled once and evaluated on every write.
//
// What a rule may cost is estimated when it is written (cost.ts); what it does cost is not counted.

import { Optional } from '@marcbachmann/cel-js';
import { usesOldSelf } from '../../../cel/compile.ts';
import { evaluator } from '../../../cel/evaluator.ts';
import { failureOf, NO_OVERLOAD } from '../../../cel/failures.ts';
import { celValue } from '../../../cel/values.ts';
import { isList, isMap, same } from '../../../text/json.ts';
import { duplicate, type FieldError, forbidden, invalidValue, OMITTED, required } from '../base/field-error.ts';
import type { Schema, ValidationRule } from './schema.ts';
import { oldItems } from './validation.ts';

interface CompiledRule {
  readonly rule: ValidationRule;
  readonly evaluate: (context: Readonly<Record<string, unknown>>) => unknown;
  readonly message: ((context: Readonly<Record<string, unknown>>) => unknown) | undefined;
  readonly isTransition: boolean;
}

/** The rules of each schema, compiled when first needed. */
const compiled = new WeakMap<Schema, readonly CompiledRule[]>();

function rulesOf(schema: Schema): readonly CompiledRule[] {
  let rules = compiled.get(schema);
  if (rules === undefined) {
    rules = schema.rules.map((rule) => ({
      rule,
      evaluate: evaluator(rule.rule),
      message: rule.messageExpression === '' ? undefined : evaluator(rule.messageExpression),
      isTransition: usesOldSelf(rule.rule),
    }));
    compiled.set(schema, rules);
  }
  return rules;
}

/**
 * Evaluates the rules of the schema and of everything beneath it. Rules that read `oldSelf` are evaluated only where
 * there was a value before; on an update, a rule of an unchanged value is not (it was stored under older rules).
 *
 * @param old  what is stored at the same place, undefined on creation
 */
export function validateRules(schema: Schema, value: unknown, old: unknown, field = ''): FieldError[] {
  const errors: FieldError[] = [];
  visit(schema, value, old ?? undefined, field, errors);
  return errors;
}

function visit(schema: Schema, value: unknown, old: unknown, path: string, errors: FieldError[]): void {
  if (!schema.rulesBeneath || value === null || value === undefined) return;
  const before = old === null ? undefined : old;
  if (schema.rules.length > 0) evaluateAll(schema, value, before, path, errors);
  for (const part of schema.allOf) visit(part, value, before, path, errors);
  if (isList(value)) {
    if (schema.items === undefined) return;
    const oldItemOf = oldItems(schema, before);
    for (const [index, item] of value.entries()) {
      visit(schema.items, item, oldItemOf(item), `${path}[${index}]`, errors);
    }
  } else if (isMap(value)) {
    const previous = isMap(before) ? before : {};
    for (const key in value) {
      const named = schema.properties?.get(key);
      const child = named ?? schema.additional;
      if (child === undefined || !child.rulesBeneath) continue;
      const childPath = named === undefined ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      visit(child, value[key], previous[key], childPath, errors);
    }
  }
}

function evaluateAll(schema: Schema, value: unknown, old: unknown, path: string, errors: FieldError[]): void {
  const unchanged = old !== undefined && same(value, old);
  let self: unknown;
  let oldSelf: unknown;
  for (const { rule, evaluate, message, isTransition } of rulesOf(schema)) {
    if (isTransition ? old === undefined && !rule.optionalOldSelf : unchanged) continue;
    self ??= celValue(schema, value);
    if (isTransition) oldSelf ??= old === undefined ? undefined : celValue(schema, old);
    const context: Record<string, unknown> = { self };
    if (isTransition) {
      context['oldSelf'] = !rule.optionalOldSelf
        ? oldSelf
        : oldSelf === undefined
          ? Optional.none()
          : Optional.of(oldSelf);
    }
    const field = rule.fieldPath === '' ? path : `${path}${rule.fieldPath}`;
    const verdict = attempt(() => evaluate(context));
    if (verdict.error !== undefined) {
      const said = rule.message.trim() || rule.rule.trim();
      const why =
        verdict.error === NO_OVERLOAD
          ? `'${NO_OVERLOAD}': call arguments did not match a supported operator, function or macro signature for rule: ${said}`
          : `${verdict.error} evaluating rule: ${said}`;
      errors.push(invalidValue(path, schema.type, why));
    } else if (verdict.value !== true) {
      const detail = spokenMessage(message, context) ?? (rule.message.trim() || `failed rule: ${rule.rule.trim()}`);
      errors.push(errorFor(rule.reason, field, isMap(value) || isList(value) ? OMITTED : value, detail));
    }
  }
}

function spokenMessage(
  message: CompiledRule['message'],
  context: Readonly<Record<string, unknown>>,
): string | undefined {
  if (message === undefined) return undefined;
  const { value } = attempt(() => message(context));
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' || text.includes('\n') ? undefined : text;
}

function attempt(run: () => unknown): { readonly value?: unknown; readonly error?: string } {
  try {
    return { value: run() };
  } catch (error) {
    return { error: failureOf(error) };
  }
}

function errorFor(reason: string, field: string, value: unknown, detail: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(field, detail);
    case 'FieldValueRequired':
      return required(field, detail);
    case 'FieldValueDuplicate':
      return duplicate(field, value, detail);
    default:
      return invalidValue(field, value, detail);
  }
}
