// `troupe top`: recent and present activity, as the bus has it.
import { parseGoDuration } from '../../../adapters/text/go-duration.ts';
import {
  AbsentError,
  addressKey,
  type LeaseRecord,
  type ReceivedEvent,
  TerminalError,
  TransientError,
} from '../../../bus/mod.ts';
import { plain } from '../../base/printable.ts';
import { type BusReader, openBusReader } from '../bus-reader.ts';
import { asText, type CommandContext, outputOf } from '../command-context.ts';
import { openScreen } from '../demo/screen.ts';
import { truncateToTerminal } from '../truncate.ts';
import { Window } from './figures.ts';
import { topText } from './text.ts';

/** Period at which a watched picture is redrawn, in milliseconds. */
const EVERY_MS = 2_000;

type Output = 'text' | 'json' | 'yaml';

/** @throws {TerminalError} what is asked makes no sense, or no bus is named @throws {TroupeError} the bus cannot be reached */
export async function answer(question: CommandContext): Promise<number> {
  const { config, clock, names, reported } = question;
  const output = outputOf(question.output, ['text', 'json', 'yaml']);
  if (names.length > 0) throw new TerminalError(`'top' goes without '${names.join(' ')}'`);
  const windowMs = windowOf(reported['since']);
  const folder = typeof reported['data'] === 'string' ? reported['data'] : undefined;
  const reader = await openBusReader(config, clock, folder);
  try {
    const window = new Window(windowMs);
    if (reported['watch'] === true) return await watch(question, reader, window, windowMs, output);
    await readKept(question, reader, window, windowMs);
    const figures = window.figures(clock.now(), await reader.leases.list());
    question.out.write(output === 'text' ? topText(figures, reader.description) : await asText(output, figures));
    return 0;
  } finally {
    await reader.close();
  }
}

function windowOf(since: unknown): number {
  const ms = parseGoDuration(String(since));
  if (ms !== undefined && ms > 0) return ms;
  throw new TerminalError(`--since must be a Go duration such as 5m, more than none; got '${String(since)}'`);
}

/** Events within the window. Where no events are kept there are none, which is printed. */
async function readKept(
  { clock, err }: CommandContext,
  { trace }: BusReader,
  window: { take(event: ReceivedEvent, arrivedAt: number): unknown },
  windowMs: number,
): Promise<void> {
  try {
    for await (const event of trace.history({ since: clock.now() - windowMs })) {
      window.take(event, event.keptAt ?? event.at);
    }
  } catch (error) {
    if (!(error instanceof AbsentError)) throw error;
    err.write(`troupe: ${plain(error.message)}\n`);
  }
}

/** No two events of one actor are emitted in the same microsecond. */
function identityOf({ actor, type, at }: ReceivedEvent): string {
  return `${addressKey(actor)} ${type} ${at}`;
}

async function watch(
  question: CommandContext,
  reader: BusReader,
  window: Window,
  windowMs: number,
  output: Output,
): Promise<number> {
  const { clock, out, isTerminal } = question;
  const signal = question.stopSignal();
  // Heard first and read then, so that nothing is missed; what happens in between comes twice, and counts once.
  let early: Set<string> | undefined = new Set();
  const listening = await reader.trace.subscribe((event) => {
    early?.add(identityOf(event));
    window.take(event, clock.now());
  });
  const heard = early;
  await readKept(
    question,
    reader,
    { take: (event, at) => !heard.has(identityOf(event)) && window.take(event, at) },
    windowMs,
  );
  early = undefined;
  let leases: readonly LeaseRecord[] = [];
  let problem = '';
  const look = async (): Promise<void> => {
    try {
      leases = await reader.leases.list();
      problem = '';
    } catch (error) {
      // The connection comes back automatically; until then the last figures stay.
      if (!(error instanceof TransientError)) throw error;
      problem = plain(error.message);
    }
  };
  const text = (): string => topText(window.figures(clock.now(), leases), reader.description);
  await look();
  const paint = (size: { readonly columns: number; readonly rows: number }): readonly string[] =>
    truncateToTerminal([...text().trimEnd().split('\n'), ...(problem === '' ? [] : ['', problem])], size);
  const screen =
    isTerminal && output === 'text' ? openScreen({ out, clock, paint, tickMs: Number.POSITIVE_INFINITY }) : undefined;
  try {
    for (;;) {
      if (screen !== undefined) screen.changed();
      else if (output === 'text') out.write(`${text()}${problem === '' ? '' : `\n${problem}\n`}\n`);
      else if (output === 'json') out.write(`${JSON.stringify(window.figures(clock.now(), leases))}\n`);
      else out.write(`---\n${await asText(output, window.figures(clock.now(), leases))}`);
      await clock.sleep(EVERY_MS, signal);
      if (signal.aborted) return 0;
      await look();
    }
  } finally {
    screen?.end();
    await listening.close();
  }
}
