export { type Break, RULES, type Rule } from './breaks.ts';
export { compareModels } from './models.ts';
