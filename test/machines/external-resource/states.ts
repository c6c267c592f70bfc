// The states of the chart, by name.
import { externalResourceMachine } from '../../../machines/external-resource/machine.ts';

/** Tags of a state of the life, and of those that it is in. @param state  `building.creating` */
export function tagsAt(state: string): ReadonlySet<string> {
  const tags = new Set<string>();
  let node = externalResourceMachine.root.states.lifecycle as typeof externalResourceMachine.root;
  for (const name of state.split('.')) {
    const inner = (node.states as Readonly<Record<string, typeof node>>)[name];
    if (inner === undefined) throw new Error(`there is no state '${state}'`);
    node = inner;
    for (const tag of node.tags) tags.add(tag);
  }
  return tags;
}
