// All cases.
import { ACCESS } from './access.cases.ts';
import type { Case } from './case.ts';
import { CRUD } from './crud.cases.ts';
import { ROLE_CASES } from './roles.cases.ts';
import { USERS } from './users.cases.ts';

export const CASES: readonly Case[] = [...USERS, ...ROLE_CASES, ...ACCESS, ...CRUD];
