// A process of the test whose functions are called from here: one message per call, one per answer, and whatever it reports
// in between. It ends with its parent.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { ErrorCode, TroupeError } from '../../bus/mod.ts';

type Functions = Readonly<Record<string, (...args: never[]) => unknown>>;

/** What a process serves, as its parent calls it. */
export type Remote<Served extends Functions> = {
  readonly [Name in keyof Served]: (...args: Parameters<Served[Name]>) => Promise<Awaited<ReturnType<Served[Name]>>>;
};

type Message = { readonly hello: unknown } | { readonly news: unknown } | Answer;
type Answer = { readonly id: number } & ({ readonly value: unknown } | { readonly failure: string });

export interface Child<Served extends Functions, Hello> {
  readonly hello: Hello;
  /** All that was reported before an answer is heard before it. A call of a process that has ended fails as transient. */
  readonly call: Remote<Served>;
  kill(): Promise<void>;
}

/** @param onUserEvent  told of what the process reports */
export async function startChild<Served extends Functions, Hello, News = never>(
  program: URL,
  args: readonly string[],
  onUserEvent: (news: News) => void,
): Promise<Child<Served, Hello>> {
  // `advanced`: faults hold regular expressions.
  const child = fork(program, args, { serialization: 'advanced' });
  const asked = new Map<number, PromiseWithResolvers<unknown>>();
  const hello = Promise.withResolvers<Hello>();
  const away = (): TroupeError => new TroupeError(ErrorCode.Transient, `${program.pathname} has ended`);
  let lastId = 0;
  child.once('exit', () => {
    hello.reject(away());
    for (const { reject } of asked.values()) reject(away());
  });
  child.on('message', (message: Message) => {
    if ('hello' in message) hello.resolve(message.hello as Hello);
    else if ('news' in message) onUserEvent(message.news as News);
    else {
      const waiting = asked.get(message.id);
      asked.delete(message.id);
      if ('failure' in message) waiting?.reject(new Error(message.failure));
      else waiting?.resolve(message.value);
    }
  });
  const ask = async (name: string, given: readonly unknown[]): Promise<unknown> => {
    if (!isRunning(child)) throw away();
    const id = ++lastId;
    const answer = Promise.withResolvers<unknown>();
    asked.set(id, answer);
    // A process that is just ending does not hear it; `exit` answers then.
    child.send({ id, name, args: given }, () => undefined);
    return answer.promise;
  };
  const call = new Proxy({} as Remote<Served>, {
    get:
      (_, name) =>
      (...given: unknown[]) =>
        ask(String(name), given),
  });
  return { hello: await hello.promise, call, kill: () => killed(child) };
}

export async function killed(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

// --- in the process --------------------------------------------------------------------------------------------------

/** Reports something to the parent. */
export function report(news: unknown): void {
  process.send?.({ news } satisfies Message);
}

/** Serves functions to the parent from now on. @returns them, for their type */
export function serveParent<Served extends Functions>(functions: Served, hello: unknown): Served {
  process.on('disconnect', () => process.exit()); // the parent has ended
  process.on('message', async ({ id, name, args }: { id: number; name: string; args: unknown[] }) => {
    let answer: Answer;
    try {
      answer = { id, value: await Reflect.apply(functions[name] as () => unknown, undefined, args) };
    } catch (error) {
      answer = { id, failure: String(error) };
    }
    process.send?.(answer);
  });
  process.send?.({ hello } satisfies Message);
  return functions;
}
