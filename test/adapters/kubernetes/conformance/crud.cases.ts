// Creating, reading, replacing and deleting.
import { type Case, CONFIG_MAPS, configMap, del, get, post, put } from './case.ts';

export const CRUD: readonly Case[] = [
  {
    name: 'crud: the life of a ConfigMap',
    steps: [
      post(CONFIG_MAPS, configMap('a', { data: { key: 'value' } }), { save: { rv: 'metadata.resourceVersion' } }),
      get(`${CONFIG_MAPS}/a`),
      put(`${CONFIG_MAPS}/a`, configMap('a', { data: { key: 'other' } }, { resourceVersion: '{rv}' })),
      put(`${CONFIG_MAPS}/a`, configMap('a', { data: { key: 'third' } }, { resourceVersion: '{rv}' })),
      del(`${CONFIG_MAPS}/a`),
      get(`${CONFIG_MAPS}/a`),
      del(`${CONFIG_MAPS}/a`),
    ],
  },
];
