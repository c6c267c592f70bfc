// Certificates that others replace in files: all that serve or trust them read them again because of the replacement, and not by time.
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openLog } from '../../../actors/base/log.ts';
import { followFiles } from '../../../actors/cli/model/tls-files.ts';
import { followClients } from '../../../actors/webhooks/client-authorities.ts';
import { givenCertificates } from '../../../actors/webhooks/given-certificates.ts';
import { certify, makeAuthority } from '../../../adapters/kubernetes/tls/certificates.ts';
import { eventClock } from '../../bus/event-clock.ts';

const test = suite('replaced files');
const log = openLog({ level: 'silent', readable: false });

interface Scene {
  readonly files: { readonly certificate: string; readonly key: string; readonly ca: string };
  readonly signal: AbortSignal;
  /** Replaces the files. @returns what they hold */
  replace(): Promise<{ readonly certificate: string; readonly key: string }>;
  /** Resolves when `take` was called with a text for the `count`th time. */
  taken(count: number): Promise<string>;
  take(text: string): void;
}

async function scene(run: (scene: Scene) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-replaced-'));
  const stop = new AbortController();
  const authority = await makeAuthority('given', Date.now());
  const files = {
    certificate: join(folder, 'tls.crt'),
    key: join(folder, 'tls.key'),
    ca: join(folder, 'ca.crt'),
  };
  const taken: string[] = [];
  const waiting = new Set<() => void>();
  try {
    await run({
      files,
      signal: stop.signal,
      async replace() {
        const { certificate, key } = await certify(authority, { name: 'x', hosts: ['localhost'] }, Date.now());
        // Each is complete when it gets its name.
        for (const [file, text] of [
          [files.certificate, certificate],
          [files.key, key],
          [files.ca, certificate],
        ] as const) {
          await writeFile(`${file}.new`, text);
          await rename(`${file}.new`, file);
        }
        return { certificate, key };
      },
      take(text) {
        taken.push(text);
        for (const wake of waiting) wake();
      },
      async taken(count) {
        while (taken.length < count) await new Promise<void>((wake) => waiting.add(wake));
        return taken[count - 1] as string;
      },
    });
  } finally {
    stop.abort();
    await rm(folder, { recursive: true });
  }
}

test('36.5w: the certificate of a served model', () =>
  scene(async ({ files, signal, replace, take, taken }) => {
    const first = await replace();
    void followFiles(files, first, {
      clock: eventClock(),
      renew: ({ certificate }) => take(certificate),
      onChange: () => undefined,
      signal,
    });
    const second = await replace();
    assert.is(await taken(1), second.certificate);
  }));

test('36.5w: the certificate of the webhooks', () =>
  scene(async ({ files: { certificate, key }, signal, replace, take, taken }) => {
    const first = await replace();
    const source = givenCertificates({ files: { certificate, key, ca: undefined }, clock: eventClock(), log });
    const user = {
      serve: async (served: { readonly certificate: string }) => take(served.certificate),
      renew: () => undefined,
      since: () => 0,
    };
    void source.run(user, signal);
    assert.is(await taken(1), first.certificate);
    const second = await replace();
    assert.is(await taken(2), second.certificate);
  }));

test('36.5w: the authorities of clients of the webhooks', () =>
  scene(async ({ files: { ca: file }, signal, replace, take, taken }) => {
    const first = await replace();
    await followClients({ file, admit: take, clock: eventClock(), log }, signal);
    assert.is(await taken(1), first.certificate.trim());
    const second = await replace();
    assert.is(await taken(2), second.certificate.trim());
  }));

test.run();
