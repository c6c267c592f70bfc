// The log as files, as klog keeps them: one for all lines, or in a folder one a severity, and what is severe on standard
// error, too.
//
// Invariants:
//   CLI-LOG-FILES-1. A file is never larger than its limit, but for one line that is larger alone.
//   CLI-LOG-FILES-2. A line that a file does not take is on standard error instead.
import { closeSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import pino from 'pino';
import { type LogFileFlags, SEVERITIES, Severity } from '../../../adapters/csi-proxy/server/log-flags.ts';
import { TerminalError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';

export interface LogFilesDeps {
  /** Undefined: standard error alone has lines. */
  readonly files: LogFileFlags | undefined;
  /** Prefix of the names of files in a folder. */
  readonly program: string;
  readonly standardErrorFrom: Severity;
  readonly standardError: { write(line: string): unknown };
  readonly clock: Pick<Clock, 'now'>;
}

/** Destination of pino. Lines are in the file when `write` returns, so that the last ones before a crash are, too. */
export class LogFiles {
  /** Asks pino to set `lastLevel` before each line. */
  readonly [pino.symbols.needsMetadataGsym] = true;
  lastLevel = 30;
  readonly #deps: LogFilesDeps;
  readonly #files = new Map<Severity, LogFile>();

  /** @throws {TerminalError} the file cannot be written, or the folder not be made */
  constructor(deps: LogFilesDeps) {
    this.#deps = deps;
    if (deps.files === undefined) return;
    const { place } = deps.files;
    try {
      if ('file' in place) this.#file(Severity.Info, deps.files);
      else mkdirSync(folderOf(place), { recursive: true });
    } catch (error) {
      const flag = 'file' in place ? 'log_file' : 'log_dir';
      throw new TerminalError(`--${flag}: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  }

  write(line: string): void {
    const rank = rankOf(this.lastLevel);
    let isTold = rank >= SEVERITIES.indexOf(this.#deps.standardErrorFrom);
    if (isTold) this.#deps.standardError.write(line);
    const { files } = this.#deps;
    if (files === undefined) return;
    for (const severity of severitiesOf(rank, files)) {
      try {
        this.#file(severity, files).write(line);
      } catch {
        // CLI-LOG-FILES-2: there is no other place to report it.
        if (!isTold) this.#deps.standardError.write(line);
        isTold = true;
      }
    }
  }

  close(): void {
    for (const file of this.#files.values()) file.close();
    this.#files.clear();
  }

  #file(severity: Severity, { place, maxBytes }: LogFileFlags): LogFile {
    const { clock, program } = this.#deps;
    const known = this.#files.get(severity);
    if (known !== undefined) return known;
    const file =
      'file' in place
        ? new LogFile({ path: () => place.file, maxBytes })
        : new LogFile({ path: () => join(folderOf(place), nameOf({ program, severity, at: clock.now() })), maxBytes });
    this.#files.set(severity, file);
    return file;
  }
}

/** Those whose files have a line. */
function severitiesOf(rank: number, { place, isOneOutput }: LogFileFlags): readonly Severity[] {
  if ('file' in place) return [Severity.Info];
  return SEVERITIES.slice(isOneOutput ? rank : 0, rank + 1);
}

/** Severities that lines of pino have: 40 is a warning, 50 an error. */
function rankOf(level: number): number {
  return SEVERITIES.indexOf(
    level >= 60 ? Severity.Fatal : level >= 50 ? Severity.Error : level >= 40 ? Severity.Warning : Severity.Info,
  );
}

function folderOf({ folder = tmpdir() }: { readonly folder: string | undefined }): string {
  return folder;
}

/** As klog names them: `csi-proxy.node7.system.log.INFO.20261126-175912.4711`. */
function nameOf({ program, severity, at }: { program: string; severity: Severity; at: number }): string {
  const [day = '', time = ''] = new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '').split('T');
  const [host = ''] = hostname().split('.');
  return [program, host, userName(), 'log', severity, `${day}-${time}`, process.pid].join('.');
}

function userName(): string {
  try {
    return userInfo().username.replace(/[^\w-]/g, '_');
  } catch {
    // A user id that has no name.
    return 'unknown';
  }
}

/** A file that is put aside when it is full. */
class LogFile {
  readonly #path: () => string;
  readonly #maxBytes: number;
  #open: { readonly path: string; readonly descriptor: number };
  #bytes: number;

  /** @param options.path  asked at each beginning; what is there already is added to */
  constructor({ path, maxBytes }: { path: () => string; maxBytes: number }) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#open = openFile(path(), 'a');
    this.#bytes = statSync(this.#open.path).size;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#bytes > 0 && this.#bytes + bytes.length > this.#maxBytes) this.#begin();
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#open.descriptor, bytes, written);
    this.#bytes += bytes.length;
  }

  close(): void {
    closeSync(this.#open.descriptor);
  }

  #begin(): void {
    const full = this.#open.path;
    const path = this.#path();
    if (path === full) {
      try {
        renameSync(full, `${full}.1`);
      } catch {
        // Another process holds it; CLI-LOG-FILES-1 is kept by emptying it, which is what the original does with every full one.
      }
    }
    const next = openFile(path, 'w');
    closeSync(this.#open.descriptor);
    this.#open = next;
    this.#bytes = 0;
  }
}

function openFile(path: string, how: 'a' | 'w'): { path: string; descriptor: number } {
  mkdirSync(dirname(path), { recursive: true });
  return { path, descriptor: openSync(path, how) };
}
