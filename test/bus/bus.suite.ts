// The contract of the bus, whoever keeps it: mailbox (BUS-1 to BUS-4), leases (BUS-5), services (BUS-6) and trace.
import type { uvu } from 'uvu';
import type { Harness } from './harness.ts';
import { leasesSuite } from './leases.suite.ts';
import { holdsSuite } from './long-calls.suite.ts';
import { mailboxSuite } from './mailbox.suite.ts';
import { servicesSuite } from './services.suite.ts';

export function busSuite(test: uvu.Test<Record<string, unknown>>, harness: Harness): void {
  mailboxSuite(test, harness);
  leasesSuite(test, harness);
  servicesSuite(test, harness);
  holdsSuite(test, harness);
}
