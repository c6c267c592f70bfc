// Rules of a BMCEventSubscription: where events go is stated once.
import { hostProblem, splitUrl } from '../../hosts/url-parts.ts';
import { isMap, type JsonMap, mapOf, textOf } from '../../json-values.ts';
import type { KindRules } from './rules.ts';

export const eventSubscriptionRules: KindRules = {
  problems,
  changes: () => ['subscriptions cannot be updated, please recreate it'],
};

function problems({ metadata, spec }: JsonMap): readonly string[] {
  const { hostName, destination, httpHeadersRef } = mapOf(spec);
  const found: string[] = [];
  if (textOf(hostName) === '') found.push('hostName cannot be empty');
  const problem = destinationProblem(textOf(destination));
  if (problem !== undefined) found.push(problem);
  if (isMap(httpHeadersRef) && textOf(httpHeadersRef['namespace']) !== textOf(mapOf(metadata)['namespace'])) {
    found.push('httpHeadersRef secret must be in the same namespace as the BMCEventSubscription');
  }
  return found;
}

function destinationProblem(destination: string): string | undefined {
  if (destination === '') return 'destination cannot be empty';
  const split = splitUrl(destination);
  if ('problem' in split) return `destination is invalid: ${split.problem}`;
  const { scheme, path } = split.parts;
  const problem = scheme === '' ? 'it is not an absolute URL' : hostProblem(split.parts);
  if (problem !== undefined) return `destination is invalid: ${problem}`;
  return path === '' ? 'destination needs a path: a host alone must have a trailing slash' : undefined;
}
