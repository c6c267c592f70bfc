// All cases.
import { ACCESS } from './access.cases.ts';
import type { Case } from './case.ts';
import { CRUD } from './crud.cases.ts';

export const CASES: readonly Case[] = [...ACCESS, ...CRUD];
