// Answers of an API server as bytes: bodies of limited size, JSON, and the lines of a watch.
import type { JsonObject } from '../../bus/bus.ts';
import { TransientError } from '../../bus/errors.ts';
import type { Body } from '../http/undici.ts';
import { TooLargeError } from './refusals.ts';

/**
 * Maximum length of a watch line, in characters. kube-apiserver takes requests of 3 MiB at most
 * (`MaxRequestBodyBytes`), and etcd 1.5 MiB by default (`--max-request-bytes`): no object is longer with these
 * settings.
 */
const LINE_LENGTH = 3 * 1024 * 1024;

/** Gathers the body of an answer. @throws {TooLargeError} from `add`, once the body has more than `mostBytes` */
export function bodyWithin(mostBytes: number, server: string): Body {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    add(chunk) {
      bytes += chunk.length;
      // mutant: list-page-of-any-size if -> false
      if (bytes > mostBytes)
        throw new TooLargeError(`the API server at ${server} answered more than ${mostBytes} bytes`);
      chunks.push(chunk);
    },
    text() {
      const [only] = chunks;
      return (chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)).toString('utf8');
    },
  };
}

/**
 * Reads the JSON objects of a watch, one per line. Ends without an error once `signal` is aborted.
 *
 * @throws {TransientError} the connection broke, or a line is no JSON object
 * @throws {TooLargeError} a line is longer than LINE_LENGTH
 */
export async function* lines(
  body: AsyncIterable<Buffer>,
  signal: AbortSignal,
  server: string,
): AsyncIterable<JsonObject> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body) {
      // mutant: character-cut-in-two ()#2.2 drop
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      // mutant: watch-line-without-end if -> false
      if (rest.length > LINE_LENGTH) throw tooLong(server);
      for (const part of parts) {
        if (part === '') continue;
        const parsed = parse(part);
        // Passed over, it would be lost: the next line has a later version.
        // mutant: watch-line-passed-over -> if ($1) continue;
        if (parsed === undefined) throw new SyntaxError('a line of it is no JSON object');
        yield parsed;
      }
    }
  } catch (error) {
    if (error instanceof TooLargeError) throw error;
    // mutant: watch-cut-silently if -> $1
    if (!signal.aborted) throw new TransientError(`a watch at ${server} broke off: ${reason(error)}`, { cause: error });
  }
}

function tooLong(server: string): TooLargeError {
  const limit = `${LINE_LENGTH / 1024 / 1024} MiB`;
  return new TooLargeError(
    `a watch at ${server} sent an object larger than ${limit}, which is skipped: listing all objects again; make that object smaller`,
  );
}

/** The JSON object in `text`; undefined if there is none. */
export function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch (error) {
    // Not JSON is an expected answer of proxies; the caller says so with the address.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Cause of a failed request, for the message of its error: an error code and what it means. */
export function reason(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  // Errors of files and sockets begin with their code already.
  const isSaid = code !== undefined && message?.includes(code);
  return [isSaid ? undefined : code, message].filter(Boolean).join(' ') || String(error);
}
