// Rules of schemas: which ones can be stored, and what they are evaluated to.
import { VALUE, verdicts, withRule } from '../../cel/verdicts.ts';
import { type Answer, type Case, DEFINITIONS, del, post } from './case.ts';

/** A definition whose objects have a field with each of the rules. */
const definition = (rules: readonly string[]): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'rules.{ns}.example.org' },
  spec: {
    group: '{ns}.example.org',
    scope: 'Namespaced',
    names: { kind: 'Rule', plural: 'rules' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: fields(rules, withRule) } },
      },
    ],
  },
});

const fields = (rules: readonly string[], of: (rule: string) => unknown): object =>
  Object.fromEntries(rules.map((rule, index) => [`r${index}`, of(rule)]));

/** The problems by field: their order is that of a map. */
const problems = ({ status, body }: Answer): unknown => {
  const { details } = body as { readonly details?: { readonly causes?: readonly { readonly field: string }[] } };
  return { status, causes: details?.causes?.toSorted((one, other) => one.field.localeCompare(other.field)) };
};

/** Rules of one definition: more would exceed the cost that the API server allows. */
const AT_ONCE = 40;

const chunks = (rules: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(rules.length / AT_ONCE) }, (_, index) =>
    rules.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
  );

export const RULES: readonly Case[] = [...verdicts()].flatMap(([heading, all]) => {
  const isRefused = ({ verdict }: (typeof all)[number]): boolean => verdict.startsWith('refused: ');
  const refused = all.filter(isRefused).map(({ rule }) => rule);
  const evaluated = all.filter((one) => !isRefused(one)).map(({ rule }) => rule);
  return [
    {
      name: `rules: refused: ${heading}`,
      steps: chunks(refused).map((rules) => post(`${DEFINITIONS}?dryRun=All`, definition(rules), { pick: problems })),
    },
    ...chunks(evaluated).map((rules, index) => ({
      name: `rules: evaluated: ${heading} ${index + 1}`,
      steps: [
        post(DEFINITIONS, definition(rules), { pick: problems }),
        post(
          '/apis/{ns}.example.org/v1/namespaces/{ns}/rules',
          {
            apiVersion: '{ns}.example.org/v1',
            kind: 'Rule',
            metadata: { name: 'a' },
            ...fields(rules, () => VALUE),
          },
          { until: ({ status }) => status === 201 || status === 422, pick: problems },
        ),
        del(`${DEFINITIONS}/rules.{ns}.example.org`, undefined, { pick: ({ status }) => status }),
      ],
    })),
  ];
});
