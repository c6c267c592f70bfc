// Checks all written contracts against the rules of contracts: `node deploy/check-contracts.ts [FILE_OR_PACKAGE,...]`; those of
// more adapters with their names, or with TROUPE_ADAPTERS.
import { adaptersOf } from '../actors/process/adapters.ts';
import { checkContracts, complaintText } from '../adapters/api/contract/check/check.ts';
import { isWritten } from '../adapters/api/contract/crds.ts';
import { TerminalError } from '../bus/errors.ts';

try {
  let complaints = 0;
  for (const { contracts, contractChecks } of await adaptersOf(
    { adapters: process.argv[2] ?? process.env['TROUPE_ADAPTERS'] },
    process.cwd(),
  )) {
    const { kinds, exemptions } = (await contractChecks?.()) ?? {
      kinds: contracts.filter(isWritten).map((contract) => ({ contract })),
      exemptions: [],
    };
    for (const finding of await checkContracts(kinds, exemptions)) {
      console.error(complaintText(finding));
      complaints++;
    }
  }
  process.exitCode = complaints === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof TerminalError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
