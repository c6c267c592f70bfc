// What must be true of an adapter before it is served: its contracts by the rules of contracts, and that its parts go together.
import type { Adapter } from '../../adapters/api/adapter.ts';
import { checkContracts, complaintText } from '../../adapters/api/contract/check/check.ts';
import type { Schema } from '../../adapters/api/contract/contract.ts';
import { isWritten } from '../../adapters/api/contract/crds.ts';
import { configure, type Texts } from './adapters.ts';

/**
 * @param others  whose kinds it may refer to, too
 * @returns a line for each thing that is wrong
 * @throws {TerminalError} an option of the adapter is wrong
 */
export async function checkAdapter(
  adapter: Adapter,
  env: Texts = {},
  others: readonly Adapter[] = [],
): Promise<readonly string[]> {
  const { contracts, contractChecks } = adapter;
  const { kinds: checked, exemptions } = (await contractChecks?.()) ?? {
    kinds: contracts.filter(isWritten).map((contract) => ({ contract })),
    exemptions: [],
  };
  const findings = await checkContracts(checked, exemptions);
  return [...findings.map(complaintText), ...partsOf(adapter, env, others)];
}

function partsOf(adapter: Adapter, env: Texts, others: readonly Adapter[]): readonly string[] {
  const { kinds } = configure(adapter, env);
  const known = new Set([
    'Secret',
    ...[adapter, ...others].flatMap(({ contracts, referencedKinds = [] }) =>
      [...contracts, ...referencedKinds].map(({ kind }) => kind),
    ),
  ]);
  const complaints: string[] = [];
  for (const contract of adapter.contracts) {
    const { kind, group, plural } = contract;
    if (!kinds.some((each) => each.group === group && each.plural === plural))
      complaints.push(`${kind}: it has a contract, and 'configure' returns no kind for it`);
    if (!isWritten(contract)) continue;
    for (const { field, target } of targetsOf(contract.spec, 'spec')) {
      if (!known.has(target))
        complaints.push(`${kind}: ${field} refers to '${target}': add that kind to 'referencedKinds'`);
    }
  }
  for (const { kind, group, finalizer, guards, operations } of kinds) {
    if (finalizer !== '' && !finalizer.startsWith(`${group}/`))
      complaints.push(`${kind}: its finalizer '${finalizer}' must begin with '${group}/'`);
    if (finalizer !== '' && !guards.includes(finalizer) && guards.length === 0)
      complaints.push(`${kind}: 'guards' lists no finalizer, so nothing that it refers to is held`);
    if (operations.length === 0) complaints.push(`${kind}: 'operations' is empty`);
  }
  return complaints;
}

function targetsOf(
  { reference, properties = {}, items, values }: Schema,
  field: string,
): readonly { readonly field: string; readonly target: string }[] {
  return [
    ...(reference === undefined ? [] : [{ field, target: reference.kind }]),
    ...Object.entries(properties).flatMap(([name, property]) => targetsOf(property, `${field}.${name}`)),
    ...(items === undefined ? [] : targetsOf(items, `${field}[]`)),
    ...(values === undefined ? [] : targetsOf(values, `${field}.*`)),
  ];
}
