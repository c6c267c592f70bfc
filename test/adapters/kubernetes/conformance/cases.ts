// All cases.
import { ACCESS } from './access.cases.ts';
import { APPLIES } from './apply.cases.ts';
import { BAD_REQUESTS } from './bad-requests.cases.ts';
import { BUILTINS } from './builtins.cases.ts';
import type { Case } from './case.ts';
import { CRUD } from './crud.cases.ts';
import { DEFINITION_CASES } from './definition.cases.ts';
import { DELETIONS } from './delete.cases.ts';
import { DISCOVERY } from './discovery.cases.ts';
import { DRY_RUNS } from './dry-run.cases.ts';
import { LIMITS } from './limits.cases.ts';
import { LISTS } from './list.cases.ts';
import { NAMESPACES } from './namespaces.cases.ts';
import { NUMBERS } from './numbers.cases.ts';
import { PAGES } from './pages.cases.ts';
import { PATCHES } from './patches.cases.ts';
import { ROLE_CASES } from './roles.cases.ts';
import { RULES } from './rules.cases.ts';
import { TABLES } from './tables.cases.ts';
import { USERS } from './users.cases.ts';
import { WATCHES } from './watch.cases.ts';

export const CASES: readonly Case[] = [
  ...DELETIONS,
  ...NAMESPACES,
  ...CRUD,
  ...LISTS,
  ...WATCHES,
  ...DISCOVERY,
  ...DEFINITION_CASES,
  ...BAD_REQUESTS,
  ...USERS,
  ...ROLE_CASES,
  ...ACCESS,
  ...PATCHES,
  ...APPLIES,
  ...BUILTINS,
  ...DRY_RUNS,
  ...TABLES,
  ...LIMITS,
  ...NUMBERS,
  ...PAGES,
  ...RULES,
];
