// The log: JSON lines, or readable ones on a terminal.
import { createRequire } from 'node:module';
import pino, { type DestinationStream, type Logger } from 'pino';
import { plainData, plainJson } from './printable.ts';

const load = createRequire(import.meta.url);

export interface LogOptions {
  readonly level: string;
  /** Readable lines instead of JSON. */
  readonly readable: boolean;
  readonly destination?: NodeJS.WritableStream | DestinationStream;
}

/** Members that are removed from all logs (I5). */
const SECRETS = [
  'password',
  'token',
  '*.password',
  '*.token',
  '*.secret',
  'headers.authorization',
  '*.headers.authorization',
];

/** Output of log lines, without control characters for terminals: texts of clouds and files are included. */
class PlainLines {
  readonly [pino.symbols.needsMetadataGsym] = true;
  readonly #destination: NodeJS.WritableStream | (DestinationStream & { lastLevel?: number });

  constructor(destination: NodeJS.WritableStream | DestinationStream) {
    this.#destination = destination;
  }

  /** Pino sets it before each line; files are chosen by it. */
  set lastLevel(level: number) {
    if (pino.symbols.needsMetadataGsym in this.#destination) Object.assign(this.#destination, { lastLevel: level });
  }

  write(line: string): void {
    this.#destination.write(plainJson(line));
  }
}

export function openLog({ level, readable, destination = process.stderr }: LogOptions): Logger {
  const options = { level, base: {}, redact: { paths: SECRETS, censor: '(hidden)' } };
  if (!readable) return pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime }, new PlainLines(destination));
  // Not loaded by a process that writes JSON.
  const pretty = load('pino-pretty') as typeof import('pino-pretty');
  const stream = pretty({
    colorize: true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
    singleLine: true,
    destination,
  });
  return pino(options, {
    write: (line) => void stream.write(`${JSON.stringify(plainData(JSON.parse(line)))}\n`),
  });
}
