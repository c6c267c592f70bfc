// Single-process bus: NATS before 2.11, where several pods would not learn of each other's leases in time.
import { type Bus, type Clock, type LeaseRecord, TerminalError } from '../../bus/mod.ts';

/** Wait beyond a lease time: a dead pod has lost its lease by then, a live one has renewed it. */
const MARGIN_MS = 1_000;

/**
 * Returns at once on a bus for several processes. On another it waits for a dead predecessor's lease to end.
 *
 * @throws {TerminalError} another pod lives on a bus that serves only one process
 */
export async function ensureSingleProcess(bus: Bus, clock: Clock, signal: AbortSignal): Promise<void> {
  if (bus.sharable) return;
  const limit = new AbortController();
  const giveUp = (): void => limit.abort();
  signal.addEventListener('abort', giveUp, { once: true });
  let others: readonly LeaseRecord[] = [];
  const watching = await bus.leases.watch((records) => {
    others = records.filter(({ name }) => name.startsWith('pod.'));
    if (others.length === 0) limit.abort();
  });
  await clock.sleep(bus.leases.leaseMs + MARGIN_MS, limit.signal);
  await watching.close();
  signal.removeEventListener('abort', giveUp);
  const [other] = others;
  if (other === undefined || signal.aborted) return;
  throw new TerminalError(
    `${bus.description} serves one process, and '${other.holder}' is running; several need nats-server 2.11 or later`,
  );
}
