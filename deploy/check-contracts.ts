// Checks the contracts of all kinds against the rules of contracts: `node deploy/check-contracts.ts`.
import { checkContracts, complaintText } from '../adapters/kubernetes/contract-check/check.ts';
import { EXEMPTIONS } from '../adapters/openstack/contract-exemptions.ts';
import { contractTrial } from '../adapters/openstack/contract-trial.ts';
import { KINDS } from '../adapters/openstack/kinds/registry.ts';

const kinds = KINDS.map((kind) => ({ contract: kind.contract, trial: contractTrial(kind) }));
const complaints = await checkContracts(kinds, EXEMPTIONS);
for (const complaint of complaints) console.error(complaintText(complaint));
process.exitCode = complaints.length === 0 ? 0 : 1;
