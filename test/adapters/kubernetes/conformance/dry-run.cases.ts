// Writes that are answered as if they had happened.
import {
  APPLY,
  type Case,
  CONFIG_MAPS,
  configMap,
  del,
  get,
  JSON_PATCH,
  MERGE,
  patch,
  post,
  put,
  STRATEGIC,
} from './case.ts';
import { GADGETS, gadget, unordered } from './gadgets.ts';

const ONE = `${CONFIG_MAPS}/a`;
const data = { data: { x: '1' } };

export const DRY_RUNS: readonly Case[] = [
  {
    name: 'dry run: of a built-in kind',
    steps: unordered([
      post(`${CONFIG_MAPS}?dryRun=All`, configMap('a')),
      get(ONE),
      post(CONFIG_MAPS, configMap('a')),
      post(`${CONFIG_MAPS}?dryRun=All`, configMap('a')),
      patch(`${ONE}?dryRun=All`, MERGE, data),
      patch(`${ONE}?dryRun=All`, STRATEGIC, data),
      patch(`${ONE}?dryRun=All`, JSON_PATCH, [{ op: 'add', path: '/data', value: { x: '1' } }]),
      patch(`${ONE}?dryRun=All&fieldManager=m`, APPLY, configMap('a', data)),
      put(`${ONE}?dryRun=All`, configMap('a', data)),
      del(`${ONE}?dryRun=All`),
      get(ONE),
      patch(`${ONE}?dryRun=Some`, MERGE, {}),
      patch(`${ONE}?dryRun=`, MERGE, {}),
      patch(`${ONE}?dryRun=All&dryRun=Some`, MERGE, {}),
      patch(`${ONE}?dryRun=All&dryRun=All`, MERGE, data),
    ]),
  },
  {
    name: 'dry run: of a custom resource',
    steps: unordered([
      patch(`${GADGETS}/g?fieldManager=me&dryRun=All`, APPLY, gadget('g', { size: 3 })),
      get(`${GADGETS}/g`),
      patch(`${GADGETS}/g?fieldManager=me`, APPLY, gadget('g', { size: 3 })),
      patch(`${GADGETS}/g?fieldManager=me&dryRun=All`, APPLY, gadget('g', { size: 4, color: 'green' })),
      patch(`${GADGETS}/g?fieldManager=you&dryRun=All`, APPLY, gadget('g', { size: 4 })),
      patch(`${GADGETS}/g?fieldManager=me&dryRun=All`, APPLY, gadget('g', { size: 30 })),
      patch(`${GADGETS}/g?dryRun=All`, MERGE, { spec: { size: 5 } }),
      patch(`${GADGETS}/g/status?dryRun=All`, MERGE, { status: { id: 'x' } }),
      get(`${GADGETS}/g`),
    ]),
  },
];
