// The kinds of methods: what they are called and how they travel.
import { MethodKind as Kind, type MethodKind, type Verb } from './model.ts';
import { nameOf } from './names.ts';

interface Form {
  readonly kind: MethodKind;
  readonly verb: Verb;
  readonly status: 200 | 201 | 202 | 204;
}

const FORMS: readonly Form[] = [
  { kind: Kind.List, verb: 'GET', status: 200 },
  { kind: Kind.Get, verb: 'GET', status: 200 },
  { kind: Kind.Add, verb: 'POST', status: 201 },
  { kind: Kind.AsyncAdd, verb: 'POST', status: 202 },
  { kind: Kind.Update, verb: 'PATCH', status: 200 },
  { kind: Kind.AsyncUpdate, verb: 'PATCH', status: 202 },
  { kind: Kind.Delete, verb: 'DELETE', status: 204 },
  { kind: Kind.AsyncDelete, verb: 'DELETE', status: 202 },
  { kind: Kind.Post, verb: 'POST', status: 201 },
  { kind: Kind.AsyncPost, verb: 'POST', status: 202 },
  { kind: Kind.Search, verb: 'POST', status: 200 },
];
const ACTION: Form = { kind: Kind.Action, verb: 'POST', status: 200 };
const BY_KEY: ReadonlyMap<string, Form> = new Map(FORMS.map((form) => [nameOf(form.kind).key, form]));

/** @param key  of the method's name; one that is not special is an action's */
export function methodForm(key: string): Form {
  return BY_KEY.get(key) ?? ACTION;
}
