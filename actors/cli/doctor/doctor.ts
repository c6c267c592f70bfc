// `troupe doctor`: whether what Troupe stands on is there and works, and what to do where it is not. It changes nothing.

import type { Adapter, ConfiguredAdapter } from '../../../adapters/api/adapter.ts';
import { type Clock, TerminalError, TroupeError } from '../../../bus/mod.ts';
import type { Config } from '../../base/config.ts';
import { plainJson } from '../../base/printable.ts';
import { TROUPE_VERSION } from '../../base/version.ts';
import { leaderAmong } from '../../diagnosis/legacy-leader.ts';
import { BUILT_IN } from '../../process/adapters.ts';
import { checkParts } from '../../process/check-adapter.ts';
import { authorityOf } from '../../process/runtime.ts';
import { type Cluster, NoKubeconfigError, openCluster, refuseAbsentNamespace } from '../cluster.ts';
import type { Ink } from '../colors.ts';
import { examineAccess } from './access.ts';
import { examineBus } from './bus.ts';
import { Area, type Check, exitCodeOf, unknown, well, wrong } from './checks.ts';
import { examineClouds } from './clouds.ts';
import { examineDefinitions, examineServer } from './cluster.ts';
import { doctorText } from './text.ts';

export interface DoctorDeps {
  config: Config;
  adapters: readonly (Adapter & ConfiguredAdapter)[];
  clock: Clock;
  output: string | undefined;
  /** Of `troupe dev`. */
  folder: string;
  home: string | undefined;
  /** Of Node, with dots. */
  nodeVersion: string;
  out: NodeJS.WritableStream;
  ink: Ink;
}

/** The process that runs the checks, and its version of Node. */
const NODE_MAJOR = 24;

/**
 * @returns 0 when all is well, 1 when something is wrong, 2 when nothing is, as far as could be examined
 * @throws {TerminalError} there is no such output
 */
export async function doctor(deps: DoctorDeps): Promise<number> {
  const { config, clock, output = 'text', folder, out, ink } = deps;
  if (output !== 'text' && output !== 'json') throw new TerminalError(`--output must be text or json; got '${output}'`);
  const checks = [
    nodeCheck(deps.nodeVersion),
    ...(await examineAdapters(deps.adapters)),
    ...(await examineCluster(deps)),
    ...(await examineBus(config, clock, folder)),
  ];
  const areas = Object.values<string>(Area);
  const sorted = checks.toSorted((left, right) => areas.indexOf(left.area) - areas.indexOf(right.area));
  const data = { version: TROUPE_VERSION, exitCode: exitCodeOf(checks), checks: sorted };
  out.write(output === 'json' ? `${plainJson(JSON.stringify(data, undefined, 2))}\n` : doctorText(sorted, ink));
  return exitCodeOf(checks);
}

function nodeCheck(version: string): Check {
  const place = `Node ${version}`;
  if (Number(version.split('.')[0]) >= NODE_MAJOR) return well(Area.Process, place, `runs troupe ${TROUPE_VERSION}`);
  return wrong(Area.Process, place, 'is older than what troupe is tested with', `use Node ${NODE_MAJOR} or later`);
}

/** Checks the adapters from outside: reports what a process would reject, or fail at, before one runs. */
async function examineAdapters(adapters: DoctorDeps['adapters']): Promise<readonly Check[]> {
  const outside = adapters.filter(({ realm }) => !BUILT_IN.some((each) => each.realm === realm));
  return await Promise.all(
    outside.map(async (adapter) => {
      const { realm, role, kinds } = adapter;
      const [first, ...more] = await checkParts(adapter, kinds, adapters);
      const place = `adapter ${realm}`;
      if (first === undefined)
        return well(
          Area.Process,
          place,
          `role ${role}, ${kinds.map(({ kind }) => kind).join(', ')}: its parts go together`,
        );
      const rest = more.length === 0 ? '' : ` and ${more.length} more`;
      return wrong(Area.Process, place, `${first}${rest}`, "fix it; 'troupe check' lists all problems");
    }),
  );
}

async function examineCluster({ config, adapters, clock, home }: DoctorDeps): Promise<readonly Check[]> {
  const { namespaces, roles } = config;
  let cluster: Cluster;
  try {
    cluster = openCluster({ config, adapters, clock, home });
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    const { problem, advice } =
      error instanceof NoKubeconfigError
        ? error
        : { problem: error.message, advice: 'name one with --kubeconfig or KUBECONFIG' };
    return [unknown(Area.Cluster, 'kubeconfig', problem, advice)];
  }
  const { client, objects: read } = cluster;
  try {
    const { isReached, checks } = await examineServer(client, clock);
    if (!isReached) return checks;
    const parts = [
      () => examineNamespaces(client, namespaces),
      () => examineDefinitions(client, adapters),
      () => leaderCheck(adapters, read),
      () => examineAccess(client, adapters, [...roles], namespaces),
      () => examineClouds({ adapters, objects: read, namespaces, clock, apiServer: authorityOf(client.server) ?? '' }),
    ];
    const found: Check[] = [...checks];
    for (const part of parts) {
      try {
        found.push(...(await part()));
      } catch (error) {
        if (!(error instanceof TroupeError)) throw error;
        found.push(unknown(Area.Cluster, client.server, error.message, 'try again, or look with another account'));
      }
    }
    return found;
  } finally {
    await cluster.close();
  }
}

/** Namespaces that were named and do not exist: checks of their objects would find nothing wrong. */
async function examineNamespaces(
  client: Cluster['client'],
  namespaces: readonly string[] = [],
): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (const namespace of namespaces) {
    try {
      await refuseAbsentNamespace(client, namespace);
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      checks.push(
        wrong(Area.Cluster, `namespace ${namespace}`, 'does not exist', 'create it, or name another with -n'),
      );
    }
  }
  return checks;
}

async function leaderCheck(
  adapters: readonly ConfiguredAdapter[],
  read: Cluster['objects'],
): Promise<readonly Check[]> {
  const predecessors = adapters.flatMap(({ legacyController }) => legacyController ?? []);
  if (predecessors.length === 0) return [];
  const leader = await leaderAmong(predecessors, read);
  const names = predecessors.map(({ name }) => name).join(', ');
  if (leader === undefined)
    return [well(Area.Cluster, 'other controllers', `no lease of ${names} is held, as far as may be seen`)];
  const what = `${leader.name} leads: ${leader.holder} holds it, and Troupe touches nothing meanwhile`;
  const todo = `scale the Deployment of ${leader.name} to zero`;
  return [wrong(Area.Cluster, `lease ${leader.lease}`, what, todo)];
}
