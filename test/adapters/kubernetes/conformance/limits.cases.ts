// Sizes and depths.
import {
  type Answer,
  type Case,
  CONFIG_MAPS,
  get,
  JSON_PATCH,
  MERGE,
  PLAINS,
  patch,
  plain,
  post,
  put,
} from './case.ts';

const large = (name: string, characters: number): unknown => plain(name, { text: 'x'.repeat(characters) });
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const deep = (depth: number): string =>
  `{"apiVersion":"{group}/v1","kind":"Plain","metadata":{"name":"deep"},"x":${nested(depth)}}`;

/** The message names how long a message was, which is another for each server. */
const brief = {
  pick: ({ status, body }: Answer) => (status < 400 ? status : JSON.stringify(body).replace(/\(\d+ vs/, '(N vs')),
};

export const LIMITS: readonly Case[] = [
  {
    name: 'limits: the size of objects',
    steps: [
      post(PLAINS, large('a', 1_000_000), brief),
      post(PLAINS, large('b', 1_560_000), brief),
      post(PLAINS, large('c', 1_580_000), brief),
      post(PLAINS, large('d', 2_500_000), brief),
      post(`${PLAINS}?dryRun=All`, large('e', 2_500_000), brief),
      patch(`${PLAINS}/a`, MERGE, { more: 'x'.repeat(1_000_000) }, brief),
      put(`${PLAINS}/a`, large('a', 2_000_000), brief),
    ],
  },
  {
    name: 'limits: the depth of bodies',
    steps: [
      ...[100, 1000, 10_000, 100_000].map((depth) =>
        post(`${PLAINS}?dryRun=All`, undefined, { raw: deep(depth), ...brief }),
      ),
      post(PLAINS, plain('a'), brief),
      patch(`${PLAINS}/a`, MERGE, undefined, { raw: `{"x":${nested(20_000)}}` }),
      patch(`${PLAINS}/a`, JSON_PATCH, undefined, { raw: `[{"op":"add","path":"/x","value":${nested(20_000)}}]` }),
    ],
  },
  {
    name: 'limits: the number of operations of a patch',
    steps: [
      post(PLAINS, plain('a'), brief),
      ...[10_000, 10_001].map((count) =>
        patch(`${PLAINS}/a`, JSON_PATCH, Array(count).fill({ op: 'add', path: '/x', value: 1 }), brief),
      ),
    ],
  },
  {
    name: 'limits: long headers and paths',
    steps: [
      get(`${CONFIG_MAPS}/none`, { headers: { 'x-long': 'a'.repeat(200_000) } }),
      get(`${CONFIG_MAPS}/none?x=${'a'.repeat(100_000)}`),
    ],
  },
];
