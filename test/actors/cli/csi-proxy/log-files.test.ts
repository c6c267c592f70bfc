// Files of the log, as klog keeps them.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SimulatedClock } from 'xstate';
import { openLog } from '../../../../actors/base/log.ts';
import { LogFiles, type LogFilesDeps } from '../../../../actors/cli/csi-proxy/log-files.ts';

const test = suite('files of the log');

interface Stage {
  readonly folder: string;
  readonly reported: string[];
  readonly clock: SimulatedClock;
  open(
    deps: Partial<NonNullable<LogFilesDeps['files']>>,
    from?: LogFilesDeps['standardErrorFrom'],
  ): { readonly log: ReturnType<typeof openLog>; close(): void };
  /** What a file's lines say, by its name, or what stands for its severity in it. */
  said(name: string): string[];
}

function staged(run: (stage: Stage) => void): () => void {
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'log-files-'));
    const reported: string[] = [];
    const clock = new SimulatedClock();
    try {
      run({
        folder,
        reported,
        clock,
        open(files, standardErrorFrom = 'FATAL') {
          const destination = new LogFiles({
            files: { place: { folder }, maxBytes: Number.POSITIVE_INFINITY, isOneOutput: false, ...files },
            program: 'csi-proxy',
            standardErrorFrom,
            standardError: { write: (line) => reported.push(messageOf(line)) },
            clock,
          });
          return {
            log: openLog({ level: 'debug', readable: false, destination }),
            close: () => destination.close(),
          };
        },
        said(name) {
          const found = readdirSync(folder).filter((file) => file === name || file.includes(`.log.${name}.`));
          return found.sort().flatMap((file) => linesOf(join(folder, file)));
        },
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n').map(messageOf);
}

function messageOf(line: string): string {
  return (JSON.parse(line) as { msg: string }).msg;
}

function sayAll(log: ReturnType<typeof openLog>): void {
  log.debug('detail');
  log.info('fact');
  log.warn('doubt');
  log.error('fault');
}

test(
  'a folder has a file a severity, with what is more severe, too; names are those of klog',
  staged(({ folder, reported, clock, open, said }) => {
    const { log, close } = open({}, 'ERROR');
    sayAll(log);
    close();
    assert.equal(said('INFO'), ['detail', 'fact', 'doubt', 'fault']);
    assert.equal(said('WARNING'), ['doubt', 'fault']);
    assert.equal(said('ERROR'), ['fault']);
    assert.equal(reported, ['fault']);
    const at = new Date(clock.now()).toISOString().slice(0, 10).replaceAll('-', '');
    for (const name of readdirSync(folder)) {
      assert.match(name, new RegExp(`^csi-proxy\\.[^.]+\\.[^.]+\\.log\\.[A-Z]+\\.${at}-\\d{6}\\.${process.pid}$`));
    }
  }),
);

test(
  'with one output a line is in the file of its severity alone',
  staged(({ open, said }) => {
    const { log, close } = open({ isOneOutput: true });
    sayAll(log);
    close();
    assert.equal([said('INFO'), said('WARNING'), said('ERROR')], [['detail', 'fact'], ['doubt'], ['fault']]);
  }),
);

test(
  'one file has every line once, and goes on where it ended; standard error has what it is told',
  staged(({ folder, reported, open, said }) => {
    const place = { file: join(folder, 'deep', '..', 'csi-proxy.log') };
    for (const from of ['WARNING', 'INFO'] as const) {
      const { log, close } = open({ place }, from);
      sayAll(log);
      close();
    }
    const all = ['detail', 'fact', 'doubt', 'fault'];
    assert.equal(said('csi-proxy.log'), [...all, ...all]);
    assert.equal(reported, ['doubt', 'fault', ...all]);
  }),
);

test(
  'a full file is put aside, the one before it given up; none is larger than told (CLI-LOG-FILES-1)',
  staged(({ folder, open, said }) => {
    const file = join(folder, 'csi-proxy.log');
    writeFileSync(file, `${JSON.stringify({ msg: 'x'.repeat(700) })}\n`);
    const { log, close } = open({ place: { file }, maxBytes: 1_000 });
    for (let number = 0; number < 50; number++) {
      log.info(`line ${number} ${'é'.repeat(50)}`);
      assert.ok(statSync(file).size <= 1_000);
    }
    close();
    assert.equal(readdirSync(folder).sort(), ['csi-proxy.log', 'csi-proxy.log.1']);
    const numbers = [...said('csi-proxy.log.1'), ...said('csi-proxy.log')].map((text) => Number(text.split(' ')[1]));
    assert.is(numbers.at(-1), 49);
    assert.equal(
      numbers,
      numbers.map((_, index) => (numbers[0] ?? 0) + index),
    );
  }),
);

test(
  'in a folder the next file has the time of its beginning, and nothing is lost',
  staged(({ folder, clock, open, said }) => {
    const { log, close } = open({ maxBytes: 200 });
    for (let number = 0; number < 6; number++) {
      log.info(`line ${number} ${'x'.repeat(50)}`);
      clock.increment(1_000);
    }
    close();
    assert.ok(readdirSync(folder).length > 1);
    assert.equal(
      said('INFO').map((text) => text.slice(0, 6)),
      ['line 0', 'line 1', 'line 2', 'line 3', 'line 4', 'line 5'],
    );
  }),
);

test(
  'a line that no file takes is on standard error, once (CLI-LOG-FILES-2)',
  staged(({ folder, reported, open }) => {
    const { log } = open({ place: { folder: join(folder, 'logs') } });
    rmSync(join(folder, 'logs'), { recursive: true });
    writeFileSync(join(folder, 'logs'), 'in the way');
    log.error('fault');
    assert.equal(reported, ['fault']);
  }),
);

test(
  'a file that cannot be written is refused at once, with its flag',
  staged(({ folder, open }) => {
    mkdirSync(join(folder, 'taken'));
    assert.throws(() => open({ place: { file: join(folder, 'taken') } }), /^--log_file: EISDIR/);
    writeFileSync(join(folder, 'file'), '');
    assert.throws(() => open({ place: { folder: join(folder, 'file', 'logs') } }), /^--log_dir: ENOTDIR/);
  }),
);

test.run();
