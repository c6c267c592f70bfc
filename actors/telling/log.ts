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

/** What never belongs in a log, wherever it turns up (I5). */
const SECRETS = [
  'password',
  'token',
  '*.password',
  '*.token',
  '*.secret',
  'headers.authorization',
  '*.headers.authorization',
];

export function openLog({ level, readable, destination = process.stderr }: LogOptions): Logger {
  const options = { level, base: {}, redact: { paths: SECRETS, censor: '(hidden)' } };
  // What clouds and files say is in the lines.
  const safely = { write: (line: string): void => void destination.write(plainJson(line)) };
  if (!readable) return pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime }, safely);
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
