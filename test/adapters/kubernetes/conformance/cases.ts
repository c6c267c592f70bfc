// All cases.
import type { Case } from './case.ts';
import { CRUD } from './crud.cases.ts';

export const CASES: readonly Case[] = [...CRUD];
