// Rules of a BMCEventSubscription: where events go is stated once.
import { destinationProblem } from '../../host/event-subscription.ts';
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
