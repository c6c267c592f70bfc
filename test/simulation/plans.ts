// What is played of a seed.
import { HOSTS } from './hosts.ts';
import type { HistoryModel, Plan } from './model.ts';
import { RESOURCES } from './resources.ts';
import { WINDOWS } from './windows.ts';

export type Matter = 'resources' | 'hosts' | 'windows';

/** Of each seed the first, and beside it of some seeds the others: the histories of a model are what they are without these. */
export const MODELS = [RESOURCES, HOSTS, WINDOWS] as unknown as readonly HistoryModel[];

/** Undefined: there is no such model. */
export function modelOf(name: string): HistoryModel | undefined {
  return MODELS.find((model) => model.name === name);
}

/** @param only  undefined: of all models */
export function plansOf(seed: number, only: HistoryModel | undefined): readonly Plan[] {
  return only === undefined
    ? MODELS.filter(({ every }) => seed % every === 0).map((model) => model.plan(seed))
    : [only.plan(seed)];
}
