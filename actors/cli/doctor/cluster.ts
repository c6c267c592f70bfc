// The API server, and the definitions of the kinds in it.
import type { Adapter } from '../../../adapters/api/adapter.ts';
import { type Contract, crd, crdName, ForbiddenError, type KubeClient } from '../../../adapters/kubernetes/mod.ts';
import { AbsentError, type Clock, type Json, type JsonObject, toErrorData } from '../../../bus/mod.ts';
import { Area, type Check, unknown, well, wrong } from './checks.ts';
import { clockCheck } from './clocks.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Number of names that are printed of those that share a problem. */
const NAMED = 3;
const APPLY = "apply them with 'troupe crds --apply'";

type Client = Pick<KubeClient, 'call' | 'server'>;

/** @returns undefined: there is no answer, and `checks` say why */
export async function examineServer(
  client: Client,
  clock: Clock,
): Promise<{ readonly isReached: boolean; readonly checks: readonly Check[] }> {
  const askedAt = clock.now();
  try {
    const { body, serverTime } = await client.call({ method: 'GET', path: '/version' });
    const reading = { at: serverTime, resolutionMs: 1_000, askedAt, answeredAt: clock.now() };
    const version = String(body['gitVersion'] ?? 'a version that it does not tell');
    return {
      isReached: true,
      checks: [
        well(Area.Cluster, client.server, `answers, Kubernetes ${version}`),
        clockCheck(`API server at ${client.server}`, reading),
      ],
    };
  } catch (error) {
    const todo = 'see that the kubeconfig, or --context, names the right server, and that it can be reached from here';
    return { isReached: false, checks: [wrong(Area.Cluster, client.server, toErrorData(error).message, todo)] };
  }
}

/** The problem of a definition, in the plural. */
type Trouble = 'missing' | 'not established' | 'not served in our version' | 'of another release' | 'not to be read';

const TODO: Readonly<Record<Trouble, string>> = {
  missing: APPLY,
  'not established': 'look at its conditions: another definition may have its names',
  'not served in our version': APPLY,
  'of another release': `${APPLY}, or use the release that they are of`,
  'not to be read': 'look with an account that may read customresourcedefinitions',
};

interface ServedDefinition {
  readonly name: string;
  readonly problem: Trouble | undefined;
}

/** A cluster without any kind of an adapter has no use for it: that is a note, as long as it has kinds of another. */
export async function examineDefinitions(
  client: Client,
  adapters: readonly Pick<Adapter, 'realm' | 'contracts' | 'definitionFlags'>[],
): Promise<readonly Check[]> {
  const found = await Promise.all(
    adapters.map(async (adapter) => ({ adapter, of: await examinedOf(client, adapter.contracts) })),
  );
  const isAbsent = ({ of }: (typeof found)[number]): boolean =>
    of.length > 0 && of.every(({ problem }) => problem === 'missing');
  const wanted = found.every(isAbsent) ? found : found.filter((each) => !isAbsent(each));
  const notes = found
    .filter((each) => !wanted.includes(each))
    .map(({ adapter: { realm } }) => well(Area.Cluster, `kinds of '${realm}'`, 'are not installed here'));
  const options = wanted.flatMap(({ adapter: { definitionFlags = [] } }) => definitionFlags);
  return [
    ...said(
      wanted.flatMap(({ of }) => of),
      options.map(({ name }) => `--${name}`),
    ),
    ...notes,
  ];
}

/** @param options  by which people say how the definitions are to be */
function said(all: readonly ServedDefinition[], options: readonly string[]): readonly Check[] {
  const place = 'CustomResourceDefinitions';
  const checks = [...Map.groupBy(all, ({ problem }) => problem)].flatMap(([problem, of]): Check[] => {
    if (problem === undefined) return [];
    const names = of.map(({ name }) => name);
    const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
    const what = `${names.length} of ${all.length} ${problem}: ${names.slice(0, NAMED).join(', ')}${more}`;
    const isOtherwise = problem === 'of another release' || problem === 'not served in our version';
    const todo =
      isOtherwise && options.length > 0
        ? `${TODO[problem]}; ${options.join(', ')} say how they are to be`
        : TODO[problem];
    return [(problem === 'not to be read' ? unknown : wrong)(Area.Cluster, place, what, todo)];
  });
  if (checks.length > 0) return checks;
  return [well(Area.Cluster, place, `all ${all.length} are there, established, and of this release`)];
}

function examinedOf(client: Client, contracts: readonly Contract[]): Promise<readonly ServedDefinition[]> {
  return Promise.all(
    contracts.map(async (contract) => ({ name: crdName(contract), problem: await troubleOf(client, contract) })),
  );
}

async function troubleOf(client: Client, contract: Contract): Promise<Trouble | undefined> {
  try {
    const { body } = await client.call({ method: 'GET', path: `${DEFINITIONS}/${crdName(contract)}` });
    return troubleIn(body, crd(contract));
  } catch (error) {
    if (error instanceof AbsentError) return 'missing';
    if (error instanceof ForbiddenError) return 'not to be read';
    throw error;
  }
}

interface Definition {
  readonly spec: { readonly versions: readonly (JsonObject & { readonly name: string; readonly served: boolean })[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

function troubleIn(found: JsonObject, wanted: JsonObject): Trouble | undefined {
  const [{ spec, status }, own] = [found, wanted] as unknown as [Definition, Definition];
  const isEstablished = status?.conditions?.some((each) => each.type === 'Established' && each.status === 'True');
  if (isEstablished !== true) return 'not established';
  const pairs = own.spec.versions.map(
    (version) => [version, spec.versions.find(({ name }) => name === version.name)] as const,
  );
  if (pairs.some(([version, there]) => there === undefined || (version.served && !there.served)))
    return 'not served in our version';
  return pairs.every(([version, there]) => isWithin(version, there)) ? undefined : 'of another release';
}

/** The server adds defaults: its definition is compared as far as the own one states. */
function isWithin(wanted: Json | undefined, found: Json | undefined): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(found) &&
      wanted.length === found.length &&
      wanted.every((item: Json, index) => isWithin(item, found[index] as Json | undefined))
    );
  }
  if (typeof wanted !== 'object' || wanted === null) return wanted === found;
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return false;
  return Object.entries(wanted).every(([name, part]) => isWithin(part, (found as JsonObject)[name]));
}
