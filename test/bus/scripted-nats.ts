// A NATS server behind the client library's interface, in memory and on a manual clock: what it answers, leaves unanswered
// or forgets is the test's to say.
//
// Not imitated: deliveries of consumers (a test sends them with `deliver`), limits, ages, permissions, queue groups.
import {
  headers,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  PermissionViolationError,
} from '@nats-io/transport-node';
import { Connection } from '../../bus/connection.ts';
import type { ManualClock } from './manual-clock.ts';

interface Stored {
  readonly sequence: number;
  readonly payload: string;
  readonly headers: MsgHdrs | undefined;
}

interface ScriptedStream {
  created: string;
  config: Record<string, unknown>;
  lastSequence: number;
  readonly messages: Map<string, Stored>;
}

interface Listening {
  readonly subject: string;
  readonly callback: (error: Error | null, message: Msg) => void;
}

interface PublishOptions {
  readonly reply?: string;
  readonly headers?: MsgHdrs;
}

const ENCODER = new TextEncoder();

export class ScriptedNats {
  readonly connection: Connection;
  readonly streams = new Map<string, ScriptedStream>();
  /** Subjects of all requests, in the order they came. */
  readonly asked: string[] = [];
  /** Subjects of all that was sent without asking for an answer. */
  readonly sent: string[] = [];
  /** Whether a request is lost on the way. */
  swallows: (subject: string) => boolean = () => false;
  /** Until when an answer is on its way; the request itself is carried out at once. */
  delays: (subject: string) => Promise<void> | undefined = () => undefined;
  /** The configurations of the consumers that were made. */
  readonly consumers: Record<string, unknown>[] = [];
  readonly #clock: ManualClock;
  readonly #listening = new Set<Listening>();
  readonly #ever: Listening[] = [];
  #status: { type: string; error?: Error }[] = [];
  #wakeStatus: () => void = () => undefined;
  #made = 0;

  constructor(clock: ManualClock, version = '2.12.3') {
    this.#clock = clock;
    const nats = {
      info: { version },
      isClosed: () => false,
      status: () => this.#statuses(),
      publish: (subject: string, payload: Uint8Array | string, { reply, headers: sent }: PublishOptions = {}) => {
        if (reply === undefined || !this.#isHeard(reply)) this.sent.push(subject);
        else this.#request(subject, String(payload), reply, sent && receivedHeaders(sent));
      },
      subscribe: (subject: string, { callback }: { callback: Listening['callback'] }) => {
        const listening = { subject, callback };
        this.#listening.add(listening);
        this.#ever.push(listening);
        return { unsubscribe: () => void this.#listening.delete(listening) };
      },
      flush: async () => undefined,
      close: async () => undefined,
    };
    this.connection = new Connection(
      nats as unknown as NatsConnection,
      'scripted',
      { clock, inboxPrefix: '_INBOX', onRefusal: () => undefined },
      () => undefined,
    );
  }

  /** Number of requests whose subject begins with these words. */
  count(beginning: string): number {
    return this.asked.filter((subject) => subject.startsWith(beginning)).length;
  }

  /** The stream is gone without a word; whoever asks for it next makes it anew, or finds what `make` made. */
  lose(name: string): void {
    this.streams.delete(name);
  }

  make(name: string, config: Record<string, unknown>): ScriptedStream {
    this.#made += 1;
    const created = `2026-01-01T00:00:00.${String(this.#made).padStart(3, '0')}Z`;
    const stream = { created, config, lastSequence: 0, messages: new Map() };
    this.streams.set(name, stream);
    return stream;
  }

  /** Somebody else stores a value. */
  stored(subject: string, payload: object | string, header?: MsgHdrs): void {
    this.#store(subject, typeof payload === 'string' ? payload : JSON.stringify(payload), header);
  }

  /** A message to whoever listens to the subject; `late`: or did, and unsubscribed when it was on its way. */
  deliver(to: string, { subject = to, reply = '', payload = '{}', header = headers(), late = false } = {}): void {
    for (const { subject: listened, callback } of late ? this.#ever : [...this.#listening]) {
      if (matches(listened, to)) callback(null, message(subject, payload, header, reply));
    }
  }

  /** The connection breaks, or is there again. */
  async status(type: 'disconnect' | 'reconnect'): Promise<void> {
    this.#status.push({ type });
    this.#wakeStatus();
    await this.#clock.settle();
  }

  /** The server does not let us publish on a subject. */
  async refuse(subject: string): Promise<void> {
    const error = new PermissionViolationError('not allowed', 'publish', subject);
    this.#status.push({ type: 'error', error });
    this.#wakeStatus();
    await this.#clock.settle();
  }

  /** The server does not let us hear what this filter covers. */
  refuseAnswers(filter: string): void {
    const error = new PermissionViolationError('not allowed', 'subscription', filter);
    for (const listening of [...this.#listening]) {
      if (listening.subject !== filter) continue;
      this.#listening.delete(listening);
      listening.callback(error, message('', '', undefined, ''));
    }
  }

  /** Filters of what is listened to. */
  get heard(): readonly string[] {
    return [...this.#listening].map(({ subject }) => subject);
  }

  async *#statuses(): AsyncGenerator<{ type: string; error?: Error }> {
    for (;;) {
      for (let next = this.#status.shift(); next !== undefined; next = this.#status.shift()) yield next;
      await new Promise<void>((resolve) => {
        this.#wakeStatus = resolve;
      });
    }
  }

  #isHeard(subject: string): boolean {
    return [...this.#listening].some((listening) => matches(listening.subject, subject));
  }

  #request(subject: string, payload: string, reply: string, sent: MsgHdrs | undefined): void {
    this.asked.push(subject);
    if (this.swallows(subject)) return;
    const answer = this.#answer(subject, payload, sent);
    if (answer === 'silence') return;
    void (this.delays(subject) ?? Promise.resolve()).then(() => {
      const answered = answer ?? message('', '', headers(503, 'No Responders'), '');
      for (const { subject: listened, callback } of [...this.#listening])
        if (matches(listened, reply)) callback(null, { ...answered, subject: reply });
    });
  }

  #answer(subject: string, payload: string, sent: MsgHdrs | undefined): Msg | 'silence' | undefined {
    if (!subject.startsWith('$JS.API.')) return this.#store(subject, payload, sent);
    const [, , ...operation] = subject.split('.');
    const request = payload === '' ? {} : JSON.parse(payload);
    const name = operation.at(-1) ?? '';
    const stream = this.streams.get(name);
    switch (operation.slice(0, -1).join('.')) {
      case 'STREAM.CREATE': {
        const isNew = stream === undefined;
        return json({ ...info(stream ?? this.make(name, request)), did_create: isNew });
      }
      case 'STREAM.UPDATE':
        if (stream === undefined) return notFound();
        stream.config = request;
        return json(info(stream));
      case 'STREAM.INFO':
        return stream === undefined ? notFound() : json(info(stream, request.subjects_filter));
      case 'STREAM.DELETE':
        this.lose(name);
        return stream === undefined ? notFound() : json({ success: true });
      case 'STREAM.MSG.DELETE':
        for (const [key, { sequence }] of stream?.messages ?? []) {
          if (sequence === request.seq) stream?.messages.delete(key);
        }
        return json({ success: true });
      case 'CONSUMER.CREATE':
        this.consumers.push(request.config);
        return json({ name: `consumer-${this.consumers.length}` });
      case 'DIRECT.GET':
        // As nats-server does: a stream that does not listen leaves it unanswered.
        return stream === undefined ? 'silence' : read(stream, request);
      default:
        return json({});
    }
  }

  #store(subject: string, payload: string, sent: MsgHdrs | undefined): Msg | undefined {
    const stream = [...this.streams.values()].find(({ config }) =>
      ((config['subjects'] ?? []) as string[]).some((pattern) => matches(pattern, subject)),
    );
    if (stream === undefined) return undefined;
    const expected = sent?.get('Nats-Expected-Last-Subject-Sequence') ?? '';
    const last = stream.messages.get(subject)?.sequence ?? 0;
    if (expected !== '' && Number(expected) !== last) return json({ error: { err_code: 10_071 } });
    stream.lastSequence += 1;
    stream.messages.delete(subject);
    stream.messages.set(subject, { sequence: stream.lastSequence, payload, headers: sent });
    return json({ stream: stream.config['name'], seq: stream.lastSequence });
  }
}

/** What a server reads of the headers that were sent. */
function receivedHeaders(sent: MsgHdrs): MsgHdrs {
  const received = headers();
  const { encode } = sent as unknown as { encode(): Uint8Array };
  for (const line of new TextDecoder().decode(encode()).split('\r\n').slice(1)) {
    const [name = '', value = ''] = line.split(': ');
    if (name !== '') received.append(name, value);
  }
  return received;
}

/** Whether a NATS filter matches a subject. */
function matches(filter: string, subject: string): boolean {
  const [wanted, tokens] = [filter.split('.'), subject.split('.')];
  for (const [at, want] of wanted.entries()) {
    if (want === '>') return tokens.length > at;
    if (want !== '*' && want !== tokens[at]) return false;
  }
  return wanted.length === tokens.length;
}

function info({ created, config, lastSequence, messages }: ScriptedStream, filter = '>'): object {
  const wanted = [...messages.keys()].filter((subject) => matches(filter, subject));
  const subjects = Object.fromEntries(wanted.map((subject) => [subject, 1]));
  return { created, config, total: wanted.length, state: { first_seq: 1, last_seq: lastSequence, subjects } };
}

function read({ messages }: ScriptedStream, which: { last_by_subj?: string; seq?: number }): Msg {
  const found = [...messages].find(
    ([subject, { sequence }]) => subject === which.last_by_subj || sequence === which.seq,
  );
  if (found === undefined) return message('', '', headers(404, 'Message Not Found'), '');
  const [subject, { sequence, payload, headers: stored }] = found;
  const header = headers();
  for (const [name, values] of stored ?? []) for (const value of values) header.append(name, value);
  header.set('Nats-Subject', subject);
  header.set('Nats-Sequence', String(sequence));
  return message(subject, payload, header, '');
}

function notFound(): Msg {
  return json({ error: { code: 404, err_code: 10_059, description: 'stream not found' } });
}

function json(answer: object): Msg {
  return message('', JSON.stringify(answer), undefined, '');
}

function message(subject: string, payload: string, header: MsgHdrs | undefined, reply: string): Msg {
  const parts = { subject, sid: 1, reply, data: ENCODER.encode(payload), respond: () => true };
  return {
    ...parts,
    ...(header === undefined ? {} : { headers: header }),
    json: <Value>() => JSON.parse(payload) as Value,
    string: () => payload,
  };
}
