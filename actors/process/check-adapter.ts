// Checks of an adapter before it is served: its contracts follow the rules of contracts, and its parts fit together.
import type { Adapter, DeclaredKind } from '../../adapters/api/adapter.ts';
import { checkContracts, complaintText } from '../../adapters/api/contract/check/check.ts';
import type { Schema } from '../../adapters/api/contract/contract.ts';
import { isWritten } from '../../adapters/api/contract/crds.ts';
import { configure, type Texts } from './adapters.ts';

/**
 * @param others  whose kinds it may refer to, too
 * @returns a line for each thing that is wrong
 * @throws {TerminalError} an option of the adapter is wrong
 */
export function checkAdapter(
  adapter: Adapter,
  env: Texts = {},
  others: readonly Adapter[] = [],
): Promise<readonly string[]> {
  return checkParts(adapter, configure(adapter, env).kinds, others);
}

/** The same of an adapter that is configured. */
export async function checkParts(
  adapter: CheckedAdapter,
  kinds: readonly DeclaredKind[],
  others: readonly CheckedAdapter[],
): Promise<readonly string[]> {
  const { contracts, contractChecks } = adapter;
  const { kinds: checked, exemptions } = (await contractChecks?.()) ?? {
    kinds: contracts.filter(isWritten).map((contract) => ({ contract })),
    exemptions: [],
  };
  const findings = await checkContracts(checked, exemptions);
  return [...findings.map(complaintText), ...partsOf(adapter, kinds, others)];
}

type CheckedAdapter = Pick<Adapter, 'contracts' | 'contractChecks' | 'referencedKinds'>;

function partsOf(
  adapter: CheckedAdapter,
  kinds: readonly DeclaredKind[],
  others: readonly CheckedAdapter[],
): readonly string[] {
  const known = new Set([
    'Secret',
    ...[adapter, ...others].flatMap(({ contracts, referencedKinds = [] }) =>
      [...contracts, ...referencedKinds].map(({ kind }) => kind),
    ),
  ]);
  const complaints: string[] = [];
  for (const contract of adapter.contracts) {
    const { kind, group, plural } = contract;
    if (!isWritten(contract)) continue;
    if (!kinds.some((each) => each.group === group && each.plural === plural))
      complaints.push(`${kind}: it has a contract, and 'configure' returns no kind for it`);
    for (const { field, target } of targetsOf(contract.spec, 'spec')) {
      if (!known.has(target))
        complaints.push(`${kind}: ${field} refers to '${target}': add that kind to 'referencedKinds'`);
    }
  }
  for (const { kind, group, finalizer, guards, operations } of kinds) {
    for (const each of [finalizer, ...guards]) {
      if (each !== '' && !each.includes('.'))
        complaints.push(`${kind}: finalizer '${each}' must be of a domain: '${group}/...'`);
    }
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
