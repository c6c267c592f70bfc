// `troupe events`: what happened to objects, from what the bus has kept, and then live.
import type { ConfiguredAdapter } from '../../../adapters/api/adapter.ts';
import { parseGoDuration } from '../../../adapters/text/go-duration.ts';
import { hint } from '../../../adapters/text/nearest.ts';
import { CALL_EVENT, type Clock, cloudEvent, type ReceivedEvent, TerminalError } from '../../../bus/mod.ts';
import { plain, plainJson } from '../../base/printable.ts';
import { registryOf } from '../../effects/operations-service.ts';
import { STATE_EVENTS } from '../../visualizer/steps.ts';
import type { BusReader } from '../bus-reader.ts';
import { absence, objectNamed } from '../cluster.ts';
import type { Ink } from '../colors.ts';
import { inspection } from './inspection.ts';
import { serveInspection } from './inspection-server.ts';
import { lineOf, Steps } from './lines.ts';
import type { EventTarget } from './presence.ts';
import { readEvents } from './reading.ts';

export interface EventsDeps {
  adapters: readonly ConfiguredAdapter[];
  clock: Clock;
  openBus: () => Promise<BusReader>;
  /** Whether an object without events exists; undefined: unknown. */
  isThere: (target: EventTarget) => Promise<boolean | undefined>;
  /** @throws {TerminalError} one of the namespaces does not exist, if that can be determined */
  refuseAbsent: (namespaces: readonly string[]) => Promise<void>;
  /** First token of the bus's subjects; undefined: the usual one. */
  prefix: string | undefined;
  /** `<kind>/<name>`, or the two apart; none: all objects. */
  names: readonly string[];
  /** With commas between; undefined: all. */
  namespaces: readonly string[] | undefined;
  /** A Go duration. */
  since: string;
  /** With commas between; undefined: all. */
  types: readonly string[] | undefined;
  isWatched: boolean;
  /** Port of the inspection server; undefined: there is none. */
  inspect: string | undefined;
  output: string | undefined;
  /** Ends the watch. */
  signal: AbortSignal;
  out: NodeJS.WritableStream;
  /** Output other than events. */
  notes: NodeJS.WritableStream;
  ink: Ink;
}

/** @returns 1: nothing is known of the object that was named @throws {TerminalError} what is asked makes no sense; {AbsentError} no events are kept; as `openBus` */
export async function events(deps: EventsDeps): Promise<number> {
  const { adapters, clock, openBus, prefix, names, isWatched, output = 'text', signal, out, notes, ink } = deps;
  if (output !== 'text' && output !== 'json') throw new TerminalError(`--output must be text or json; got '${output}'`);
  const sinceMs = parseGoDuration(deps.since);
  if (sinceMs === undefined || sinceMs < 0)
    throw new TerminalError(`--since must be a Go duration such as 10m; got '${deps.since}'`);
  const port = deps.inspect === undefined ? undefined : portOf(deps.inspect);
  const known = registryOf(adapters);
  const named = names.length === 0 ? undefined : objectNamed('events', { resources: known.resources, adapters }, names);
  const [namespaces, types] = [listOf(deps.namespaces), typesOf(listOf(deps.types))];
  const steps = new Steps();
  const labelOf: Parameters<typeof lineOf>[1]['labelOf'] = (address) =>
    `${known.resource(address)?.kind ?? address.plural}/${address.name}`;
  const isMeant = ({ actor, type }: ReceivedEvent): boolean =>
    (namespaces === undefined || namespaces.includes(actor.namespace)) &&
    (types === undefined || types.includes(type)) &&
    (named === undefined ||
      (actor.realm === named.realm && actor.plural === named.plural && actor.name === named.name));
  const places = namespaces?.length === 1 ? 'one' : 'many';

  let isTold = false;
  const bus = await openBus();
  const server = port === undefined ? undefined : await serveInspection(inspection(adapters), { port });
  if (server !== undefined)
    notes.write(`troupe: inspect at ${server.url}, or by WebSocket at ${server.webSocketUrl}\n`);
  try {
    await readEvents({
      trace: bus.trace,
      since: clock.now() - sinceMs,
      until: isWatched || server !== undefined ? signal : undefined,
      onEvent(event) {
        steps.hear(event);
        if (!isMeant(event)) return;
        isTold = true;
        server?.report(event);
        out.write(
          output === 'json'
            ? `${plainJson(JSON.stringify(cloudEvent(event, prefix)))}\n`
            : lineOf(event, { labelOf, steps, places, ink }),
        );
      },
      onNoHistory: ({ message }) => notes.write(`troupe: ${plain(message)}; only events from now on are shown\n`),
    });
    if (isTold || isWatched || server !== undefined) return 0;
    if (named === undefined) {
      await deps.refuseAbsent(namespaces ?? []);
      return 0;
    }
    const label = `${known.resource(named)?.kind ?? named.plural}/${named.name}`;
    const exists = await deps.isThere({ ...named, namespaces });
    const silence = `nothing is kept that happened to ${plain(label)} within ${plain(deps.since)}`;
    if (exists === false) notes.write(`troupe: ${absence(label, namespaces?.join(', ') ?? '')}\n`);
    else notes.write(`troupe: ${silence}${exists === undefined ? ', and whether it exists is unknown' : ''}\n`);
    return exists === true ? 0 : 1;
  } finally {
    await server?.close();
    await bus.close();
  }
}

function listOf(given: readonly string[] | undefined): readonly string[] | undefined {
  const all = given?.flatMap((text) => text.split(',')).flatMap((text) => text.trim() || []);
  return all === undefined || all.length === 0 ? undefined : all;
}

/** Types of events there are. */
export const EVENT_TYPES: readonly string[] = [...STATE_EVENTS, CALL_EVENT];

/** @throws {TerminalError} there is none of that type */
function typesOf(asked: readonly string[] | undefined): readonly string[] | undefined {
  const none = asked?.find((type) => !EVENT_TYPES.includes(type));
  if (none === undefined) return asked;
  const meant = hint(none, EVENT_TYPES);
  throw new TerminalError(`--type must be among ${EVENT_TYPES.join(', ')}; got '${none}'${meant}`);
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw new TerminalError(`--inspect must be a port, 0 for any; got '${text}'`);
}
