// Numbers that a JavaScript number does not hold, or spells in another way.
import { type Answer, APPLY, type Case, get, JSON_PATCH, MERGE, POOLS, patch, post } from './case.ts';

const body = (name: string, spec: string): string =>
  `{"apiVersion":"{group}/v1","kind":"Pool","metadata":{"name":"${name}"},"spec":{${spec}}}`;

const A = `${POOLS}/a`;

/** The digits themselves are compared elsewhere: answers are parsed here, by whoever cannot hold them. */
const refused = { pick: ({ status, body: answer }: Answer) => (status < 400 ? status : answer) };

const LITERALS = [
  '9007199254740993',
  '-9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  '123456789012345678901234567890',
  '1e3',
  '1.5',
  '-0',
  '1e21',
  '1e-7',
  '1e309',
  '-1e999',
  '123456789.123456789',
  '9.007199254740993e15',
];

export const NUMBERS: readonly Case[] = [
  ...(['exact', 'most', 'amount', 'either', 'note'] as const).map((field) => ({
    name: `numbers: in the field ${field}`,
    steps: LITERALS.map((literal) =>
      post(`${POOLS}?dryRun=All`, undefined, { raw: body('a', `"${field}":${literal}`), ...refused }),
    ),
  })),
  {
    name: 'numbers: in lists that are sets',
    steps: ['9007199254740993,9007199254740992', '9007199254740993,9007199254740993', '1,2,1'].map((list) =>
      post(`${POOLS}?dryRun=All`, undefined, { raw: body('a', `"numbers":[${list}]`), ...refused }),
    ),
  },
  {
    name: 'numbers: in patches',
    steps: [
      post(POOLS, undefined, { raw: body('a', '"free":{"x":9007199254740993}'), pick: ({ status }) => status }),
      patch(A, JSON_PATCH, undefined, {
        raw: '[{"op":"test","path":"/spec/free/x","value":9007199254740992}]',
        ...refused,
      }),
      patch(A, JSON_PATCH, undefined, {
        raw: '[{"op":"test","path":"/spec/free/x","value":9007199254740993}]',
        ...refused,
      }),
      patch(A, MERGE, undefined, { raw: '{"spec":{"exact":9007199254740993}}', ...refused }),
      patch(A, MERGE, undefined, { raw: '{"spec":{"most":9007199254740993}}', ...refused }),
      patch(A, MERGE, undefined, { raw: '{"spec":{"amount":1e999}}', ...refused }),
      patch(`${A}?fieldManager=me`, APPLY, undefined, { raw: body('a', '"numbers":[9007199254740995]'), ...refused }),
      get(A, { pick: ({ body: answer }) => JSON.stringify(answer).includes('v:9007199254740995') }),
    ],
  },
];
