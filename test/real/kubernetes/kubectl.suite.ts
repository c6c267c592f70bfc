// One list of kubectl commands, given to a real API server and to an embedded one at once, each with a home of its own:
// what is printed must be the same but for what kubectl.normal.ts evens out.
import { readFileSync } from 'node:fs';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { startApiServer } from '../../../adapters/simulated/kubernetes/mod.ts';
import { normalized } from './kubectl.normal.ts';
import { SCENES } from './kubectl.scenes.ts';
import { openSide, type Side } from './kubectl.side.ts';

/** What a run promises to compare at least. */
const LEAST_COMMANDS = 100;

const clock = systemClock();

export interface KubectlSuiteOptions {
  /** Path of the program. */
  readonly kubectl: string;
  readonly minor: number;
  /** Path of the real server's kubeconfig. */
  readonly kubeconfig: string;
}

/** Registers the tests. The last one says how many commands were compared, and fails when they are too few. */
export function kubectlSuite(test: Test, { kubectl, minor, kubeconfig }: KubectlSuiteOptions): void {
  const names = { NAMESPACE: `kubectl-${minor}-${process.pid}`, GROUP: `k${process.pid}.kubectl.example.org` };
  const sides: Side[] = [];
  let compared = 0;
  let close = async (): Promise<void> => undefined;

  test('both servers are there', async () => {
    const server = await startApiServer({ clock });
    sides.push(
      openSide(kubectl, readFileSync(kubeconfig, 'utf8'), names),
      openSide(kubectl, server.kubeconfig(), names),
    );
    close = async () => {
      for (const side of sides) side.close();
      await server.close();
    };
  });

  for (const { title, commands } of SCENES) {
    test(title, async () => {
      const differences: string[] = [];
      for (const command of commands.map((one) => (typeof one === 'string' ? { line: one } : one))) {
        if ((command.since ?? 0) > minor) continue;
        const [real, embedded] = await Promise.all(sides.map((side) => side.run(command)));
        if (real === undefined || embedded === undefined) throw new Error('the servers are not there');
        compared++;
        const [expected, actual] = [normalized(command.line, real), normalized(command.line, embedded)];
        if (command.differs !== undefined) {
          if (expected === actual)
            differences.push(`$ kubectl ${command.line}\n  no longer differs: ${command.differs}`);
          continue;
        }
        if (expected === actual) continue;
        differences.push(`$ kubectl ${command.line}${command.edit === undefined ? '' : ` # ${command.edit}`}`);
        differences.push(lineDifference(expected, actual));
      }
      if (differences.length > 0) throw new Error(differences.join('\n'));
    });
  }

  test('enough was compared, and nothing is left open', async () => {
    await close();
    process.stdout.write(`${compared} commands compared\n`);
    assert.ok(compared >= LEAST_COMMANDS, `${compared} commands`);
  });
}

/** The lines that only one of two texts has: `-` of the real server, `+` of the embedded one. */
export function lineDifference(expected: string, actual: string): string {
  const [left, right] = [expected.split('\n'), actual.split('\n')];
  const ofLeft = left.filter((line) => !right.includes(line)).map((line) => `  - ${line}`);
  const ofRight = right.filter((line) => !left.includes(line)).map((line) => `  + ${line}`);
  const found = [...ofLeft, ...ofRight];
  return found.length > 0 ? found.join('\n') : `  the same lines in another order or number:\n${actual}`;
}
