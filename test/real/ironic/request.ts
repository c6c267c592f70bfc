// Requests of the tests themselves to a real Ironic and what stands beside it.
import type { Json } from '../../../bus/mod.ts';

const LIMIT_MS = 60_000;

/**
 * Each on a connection of its own: a server may close one that is idle at the moment in which it is used again, and what was sent on it
 * is not sent anew.
 *
 * @throws what was asked, and why nobody answered
 */
export async function request(
  url: string,
  method: string,
  body?: Json,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  try {
    return await fetch(url, {
      method,
      signal: AbortSignal.timeout(LIMIT_MS),
      headers: { ...headers, connection: 'close', ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch (error) {
    const { message, cause } = error as Error;
    throw new Error(`${method} ${url}: ${cause instanceof Error ? cause.message : message}`, { cause: error });
  }
}
