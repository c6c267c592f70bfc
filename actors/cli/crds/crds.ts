// `troupe crds`: the CustomResourceDefinitions of the kinds.
import { type Contract, crdFile, crdName, kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { type Clock, TerminalError } from '../../../bus/mod.ts';
import type { Config } from '../../base/config.ts';
import { USER_AGENT } from '../../base/version.ts';
import { installCrds } from '../../process/install-crds.ts';

export interface CrdsDeps {
  config: Config;
  clock: Clock;
  /** Contracts of all existing kinds. */
  contracts: readonly Contract[];
  /** Kinds, plurals or short names, in any case; none: all kinds. */
  names: readonly string[];
  out: NodeJS.WritableStream;
}

/** `troupe crds`. @throws {TerminalError} a name is that of no kind */
export async function printCrds({ contracts, names, out }: Omit<CrdsDeps, 'config' | 'clock'>): Promise<number> {
  out.write(
    chosen(contracts, names)
      .map((contract) => crdFile(contract).text)
      .join('---\n'),
  );
  return 0;
}

/** `troupe crds --apply`. @throws {TerminalError} no cluster was named; as `printCrds` and `installCrds` */
export async function applyCrds({ config, clock, contracts, names, out }: CrdsDeps): Promise<number> {
  const wanted = chosen(contracts, names);
  const { kubeconfig, context, inCluster, env } = config;
  if (kubeconfig === undefined && inCluster === undefined) {
    throw new TerminalError("KUBECONFIG is not set and this is no pod; without --apply, 'troupe crds' prints them");
  }
  const client = kubeClient({ clock, kubeconfig, context, inCluster, env, userAgent: USER_AGENT });
  try {
    await installCrds(client, clock, (line) => out.write(`${line}\n`), wanted);
  } finally {
    await client.close();
  }
  return 0;
}

function chosen(contracts: readonly Contract[], names: readonly string[]): readonly Contract[] {
  if (names.length === 0) return contracts;
  const named = names.map((name) => {
    const contract = contracts.find((each) =>
      [each.kind.toLowerCase(), each.plural, crdName(each), ...(each.shortNames ?? [])].includes(name.toLowerCase()),
    );
    if (contract !== undefined) return contract;
    throw new TerminalError(`there is no kind '${name}'; there are ${contracts.map(({ kind }) => kind).join(', ')}`);
  });
  return [...new Set(named)];
}
