// The rules of roles: what one allows, and whether some of them together allow all that others do.

import { listOf, mapOf, stringOf } from '../../../text/json.ts';
import type { KubeObject } from '../base/kube-object.ts';
import type { Stored } from '../storage/stored.ts';
import type { Attributes } from './attributes.ts';

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Empty for all. */
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export const RULE_FIELDS = ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const;

const known = new WeakMap<Stored, readonly PolicyRule[]>();

/** The rules of a stored role, which are read from it once. */
export function rulesOf(stored: Stored): readonly PolicyRule[] {
  let rules = known.get(stored);
  if (rules === undefined) {
    rules = rulesIn(stored.object);
    known.set(stored, rules); // KSIM-OBJECT-1: what is stored never changes
  }
  return rules;
}

export const rulesIn = (role: KubeObject): PolicyRule[] => listOf(role['rules']).map(ruleOf);

function ruleOf(raw: unknown): PolicyRule {
  const texts = (field: (typeof RULE_FIELDS)[number]): string[] => listOf(mapOf(raw)[field]).map(stringOf);
  return {
    verbs: texts('verbs'),
    apiGroups: texts('apiGroups'),
    resources: texts('resources'),
    resourceNames: texts('resourceNames'),
    nonResourceURLs: texts('nonResourceURLs'),
  };
}

const has = (list: readonly string[], wanted: string): boolean => list.includes('*') || list.includes(wanted);

/** `resource` is `pods` or `pods/log`; `*\/log` matches that part of any resource. */
function hasResource(resources: readonly string[], resource: string): boolean {
  if (has(resources, resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && resources.includes(`*${resource.slice(slash)}`);
}

function hasPath(urls: readonly string[], path: string): boolean {
  return urls.some((url) => url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1))));
}

/** Whether a rule allows what a request wants. */
export function allows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!has(rule.verbs, attributes.verb)) return false;
  if (attributes.kind === 'path') return hasPath(rule.nonResourceURLs, attributes.path);
  const { group, resource, subresource, name } = attributes;
  return (
    has(rule.apiGroups, group) &&
    hasResource(rule.resources, subresource === '' ? resource : `${resource}/${subresource}`) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  );
}

/** A rule as many that allow one thing each. */
function* atoms({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): Generator<PolicyRule> {
  const none = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
  for (const apiGroup of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const atom = { ...none, apiGroups: [apiGroup], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) yield atom;
        for (const name of resourceNames) yield { ...atom, resourceNames: [name] };
      }
    }
  }
  for (const url of nonResourceURLs) for (const verb of verbs) yield { ...none, nonResourceURLs: [url], verbs: [verb] };
}

/** Whether a rule allows what another that allows one thing does. */
function covers(rule: PolicyRule, atom: PolicyRule): boolean {
  return (
    atom.verbs.every((verb) => has(rule.verbs, verb)) &&
    atom.apiGroups.every((group) => has(rule.apiGroups, group)) &&
    atom.resources.every((resource) => hasResource(rule.resources, resource)) &&
    atom.nonResourceURLs.every((url) => hasPath(rule.nonResourceURLs, url)) &&
    (rule.resourceNames.length === 0 ||
      (atom.resourceNames.length > 0 && atom.resourceNames.every((name) => rule.resourceNames.includes(name))))
  );
}

/** What `wanted` allow and `held` do not, joined where only the verbs differ, as texts in their order. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): string[] {
  const missing = new Map<string, PolicyRule>();
  for (const atom of wanted.flatMap((rule) => [...atoms(rule)])) {
    if (held.some((rule) => covers(rule, atom))) continue;
    const { verbs, ...rest } = atom;
    const isPath = atom.nonResourceURLs.length > 0;
    const key = JSON.stringify(isPath ? [rest, verbs] : rest);
    const before = isPath ? [] : (missing.get(key)?.verbs ?? []);
    missing.set(key, { ...rest, verbs: [...before, ...verbs] });
  }
  return [...missing.values()].map(ruleText).sort();
}

function ruleText({ apiGroups, resources, resourceNames, nonResourceURLs, verbs }: PolicyRule): string {
  const parts = Object.entries({
    APIGroups: apiGroups,
    NonResourceURLs: nonResourceURLs,
    Resources: resources,
    ResourceNames: resourceNames,
    Verbs: verbs,
  });
  const shown = parts
    .filter(([, values]) => values.length > 0)
    .map(([title, values]) => `${title}:[${values.map((value) => JSON.stringify(value)).join(' ')}]`);
  return `{${shown.join(', ')}}`;
}
