// What commands read of a world's bus, and what they say.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { BusReader } from '../../../actors/cli/bus-reader.ts';
import type { World } from '../../world/world.ts';

/** The bus of the world, which outlives its readers. */
export function readerOf({ bus }: World): BusReader {
  return { trace: bus.trace, leases: bus.leases, description: bus.description, close: async () => undefined };
}

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly notes: string;
}

/** Runs a command on streams of its own. */
export async function said(
  run: (streams: { readonly out: PassThrough; readonly notes: PassThrough }) => Promise<number>,
): Promise<Said> {
  const [out, notes] = [new PassThrough(), new PassThrough()];
  const texts = Promise.all([text(out), text(notes)]);
  try {
    const code = await run({ out, notes });
    out.end();
    notes.end();
    const [reported, noted] = await texts;
    return { code, out: reported, notes: noted };
  } finally {
    out.end();
    notes.end();
  }
}
