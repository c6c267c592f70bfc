// What is played of a seed.

import type { HistoryModel, Plan } from './model.ts';
import { HOSTS } from './models/hosts/model.ts';
import { RESOURCES } from './models/resources/model.ts';
import { WINDOWS } from './models/windows/model.ts';

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
