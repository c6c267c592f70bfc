// What can be chosen at an installation, and which objects there are under which choice: kustomize is asked for every
// combination, so that nothing here knows what a component holds or patches.
import { identityOf, type Manifest, type Sources } from './kustomize.ts';

/** Something that is on or off. */
export interface Choice {
  /** Path of its value in the chart. */
  readonly value: string;
  readonly on: Partial<Sources>;
  readonly isOn: boolean;
}

export const CHOICES: readonly Choice[] = [
  { value: 'nats.enabled', on: { resource: 'default' }, isOn: true },
  { value: 'roles.split', on: { components: ['roles'] }, isOn: false },
  { value: 'egress.enabled', on: { components: ['egress'] }, isOn: false },
  { value: 'visualizer.enabled', on: { components: ['visualizer'] }, isOn: false },
  { value: 'webhooks.enabled', on: { components: ['webhooks'] }, isOn: false },
  { value: 'windows.enabled', on: { components: ['windows'] }, isOn: false },
  { value: 'metrics.serviceMonitor.enabled', on: { components: ['monitoring'] }, isOn: false },
];

/** An object, and the choices it hangs on: by their values, on or off. */
export interface Chosen {
  readonly manifest: Manifest;
  readonly when: ReadonlyMap<string, boolean>;
}

export function sourcesOf(on: readonly Choice[]): Sources {
  const resource = on.find((choice) => choice.on.resource !== undefined)?.on.resource ?? 'base';
  return { resource, components: on.flatMap((choice) => choice.on.components ?? []) };
}

/** What is installed if nobody chooses. */
export function byDefault(choices = CHOICES): Sources {
  return sourcesOf(choices.filter(({ isOn }) => isOn));
}

/**
 * Every object that there is under some combination, once for each text that it has.
 *
 * @throws {Error} where an object is there cannot be said by choices that are all on or off
 */
export async function chosen(
  render: (sources: Sources) => Promise<readonly Manifest[]>,
  choices = CHOICES,
): Promise<readonly Chosen[]> {
  const combinations = Array.from({ length: 2 ** choices.length }, (_, bits) => bits);
  const places = new Map<string, { manifest: Manifest; in: Set<number> }>();
  for (const bits of combinations) {
    const on = choices.filter((_, index) => bits & (1 << index));
    for (const manifest of await render(sourcesOf(on))) {
      const text = JSON.stringify(manifest);
      const place = places.get(text) ?? { manifest, in: new Set() };
      place.in.add(bits);
      places.set(text, place);
    }
  }
  return [...places.values()].map(({ manifest, in: there }) => {
    const when = new Map<string, boolean>();
    for (const [index, { value }] of choices.entries()) {
      const states = new Set([...there].map((bits) => (bits & (1 << index)) !== 0));
      const [state] = states;
      if (states.size === 1 && state !== undefined) when.set(value, state);
    }
    // mutant: choices-unchecked if -> false
    if (there.size !== 2 ** (choices.length - when.size)) {
      throw new Error(`${identityOf(manifest)} is there under combinations that are not one condition`);
    }
    return { manifest, when };
  });
}
