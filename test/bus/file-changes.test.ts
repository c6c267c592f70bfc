// When files that others replace are read again: by event, and by time where there is none.
import { EventEmitter } from 'node:events';
import { type FSWatcher, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FileChanges, LOOK_MS } from '../../bus/file-changes.ts';
import { simulatedClock } from '../world/clock.ts';
import { eventClock } from './event-clock.ts';

const test = suite('changes of files');

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-files-'));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A Secret as the kubelet mounts it, and replaces it. */
function mounted(folder: string) {
  let versions = 0;
  const project = (text: string): void => {
    versions += 1;
    mkdirSync(join(folder, `..v${versions}`));
    writeFileSync(join(folder, `..v${versions}`, 'tls.crt'), text);
    symlinkSync(`..v${versions}`, join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
  };
  project('first');
  symlinkSync('..data/tls.crt', join(folder, 'tls.crt'));
  return { file: join(folder, 'tls.crt'), project };
}

test('36.5w: a mounted Secret that is replaced, and a file that is, end the wait without the time (BUS-FILE-CHANGES-1)', () =>
  inFolder(async (folder) => {
    const { file, project } = mounted(folder);
    const stop = new AbortController();
    const changes = new FileChanges({ files: [file], clock: eventClock(), signal: stop.signal });
    for (const change of [
      () => project('second'),
      () => project('third'),
      () => {
        writeFileSync(join(folder, 'new'), 'fourth');
        renameSync(join(folder, 'new'), file);
      },
      () => writeFileSync(file, 'fifth'),
    ]) {
      const told = changes.next();
      change();
      await told;
    }
    // Before the wait.
    project('sixth');
    await changes.next();
    const last = changes.next();
    stop.abort();
    await last;
  }));

test('36.5w: what cannot be watched, is watched no more, or is another folder now, is read by time (BUS-FILE-CHANGES-2)', () =>
  inFolder(async (folder) => {
    const clock = simulatedClock();
    const stop = new AbortController();
    const files = [join(folder, 'a', 'tls.crt')];
    let watched = 0;
    const broken: FSWatcher[] = [];
    const failing = (() => {
      watched += 1;
      if (watched === 1) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      const watcher = Object.assign(new EventEmitter(), {
        close: () => watcher.emit('closed'),
      }) as unknown as FSWatcher;
      broken.push(watcher);
      return watcher;
    }) as unknown as NonNullable<ConstructorParameters<typeof FileChanges>[0]['watch']>;
    const changes = new FileChanges({ files, clock, signal: stop.signal, watch: failing });
    for (const times of [1, 2, 3]) {
      const before = clock.elapsed();
      const told = changes.next();
      broken.at(-1)?.emit('error', new Error('gone'));
      await told;
      assert.is(clock.elapsed() - before, LOOK_MS);
      assert.is(watched, times + 1, 'and it is tried again');
    }
    stop.abort();
    clock.stop();

    // A folder that takes the place of the one that was watched.
    const again = new AbortController();
    const slow = simulatedClock();
    for (const name of ['a', 'b', 'c']) mkdirSync(join(folder, name));
    const own = new FileChanges({ files, clock: slow, signal: again.signal });
    renameSync(join(folder, 'a'), join(folder, 'old'));
    renameSync(join(folder, 'b'), join(folder, 'a'));
    await own.next();
    const events = eventClock();
    const following = new FileChanges({ files, clock: events, signal: again.signal });
    const told = following.next();
    writeFileSync(files[0] as string, 'new');
    await told;
    again.abort();
    slow.stop();
  }));

test.run();
