// A machine that is reached by a socket: calls that are lost on the way, and those that are given up.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';
import { Code, StatusError, UnknownEndError } from '../../../../adapters/csi-proxy/base/status.ts';
import type { Host } from '../../../../adapters/csi-proxy/hosts/host.ts';
import { memoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { startProxy, Way } from '../../../bus/proxy.ts';
import { type Calling, distantHost, type MachineServer, SILENCE, serveMachine } from './machine-line.ts';

const test = suite('chaos: the line to a machine');
const clock = systemClock();
/** Of calls that are answered, and of those that nobody waits for. */
const LIMIT_MS = 60_000;
const SHORT_MS = 100;

interface Line {
  readonly host: Host;
  readonly way: Awaited<ReturnType<typeof startProxy>>;
  readonly server: MachineServer;
}

/** @param short  a call that is given up soon */
async function inLine(
  answer: (calling: Calling) => Promise<unknown>,
  run: (line: Line) => Promise<void>,
  short?: string,
): Promise<void> {
  const server = await serveMachine({ clock, answer });
  const way = await startProxy('127.0.0.1', server.port);
  const host = distantHost({ clock, port: way.port, limitMs: (name) => (name === short ? SHORT_MS : LIMIT_MS) });
  try {
    await run({ host, way, server });
  } finally {
    await host.close();
    await way.close();
    server.close();
  }
}

async function failure(call: Promise<unknown>): Promise<StatusError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, StatusError);
  return error as StatusError;
}

test('maps, large numbers and errors with their codes come through', async () => {
  const { host: real } = await memoryMachine({ clock });
  const answer = ({ name, args }: Calling): Promise<unknown> => {
    const [group = '', call = ''] = name.split('.');
    return Reflect.apply(Reflect.get(Reflect.get(real, group), call), undefined, args);
  };
  await inLine(answer, async ({ host }) => {
    assert.equal(await host.disk.listDiskLocations(), await real.disk.listDiskLocations());
    assert.equal(await host.disk.listDiskIDs(), await real.disk.listDiskIDs());
    assert.equal(await host.disk.getDiskStats(0), { totalBytes: 64n * 2n ** 30n });
    assert.is(await host.filesystem.mkdir('C:\\one'), undefined);
    const error = await failure(host.disk.getDiskState(9));
    assert.equal([error.code, error.message], [Code.NotFound, 'there is no disk 9']);
    assert.not.instance(error, UnknownEndError);
  });
});

test('a call whose way is lost has an end that nobody knows; the next one finds another way (TEST-MACHINE-LINE-2)', async () => {
  let begun = 0;
  const first = Promise.withResolvers<void>();
  const answer = async (): Promise<unknown> => {
    first.resolve();
    return ++begun === 1 ? SILENCE : 'offline';
  };
  await inLine(answer, async ({ host, server }) => {
    const lost = failure(host.disk.getDiskState(1));
    await first.promise;
    server.reset();
    assert.instance(await lost, UnknownEndError);
    assert.equal([await host.disk.getDiskState(1), begun], ['offline', 2]);
  });
});

test('a call that comes when it is waited for no more is not begun (TEST-MACHINE-LINE-1)', async () => {
  const begun: string[] = [];
  const answer = async ({ name }: Calling): Promise<unknown> => void begun.push(name);
  const givenUp = async ({ host, way }: Line): Promise<void> => {
    way.hold(Way.There);
    const error = await failure(host.disk.initializeDisk(1));
    assert.instance(error, UnknownEndError);
    assert.is(error.code, Code.DeadlineExceeded);
    way.heal();
    await host.disk.rescan();
    assert.equal(begun, ['disk.rescan']);
  };
  await inLine(answer, givenUp, 'disk.initializeDisk');
});

test.run();
