// The machines behind a real Ironic: each is lent to one host at a time, with a BMC whose password nothing else has.
import { systemClock } from '../../../actors/base/clock.ts';
import type { Json, JsonObject } from '../../../bus/mod.ts';
import { newPassword } from '../../adapters/ironic/passwords.ts';
import { slowness } from '../../world/speed.ts';
import { type BmcDoor, openBmcDoor } from './bmc-door.ts';
import { request } from './request.ts';

const clock = systemClock();

/** As `ironic.sh env` prints it. */
export type Env = (name: string) => string;

/** What is to go wrong with a machine, as the stand-ins for agents have it. */
export interface Trouble {
  readonly boot: boolean;
  readonly inspection_error: string | null;
  readonly fail: Readonly<Record<string, string>>;
  readonly seconds: Readonly<Record<string, number>>;
}
const NO_TROUBLE: Trouble = { boot: true, inspection_error: null, fail: {}, seconds: {} };

export interface Seen {
  readonly power: string;
  readonly running: string;
  readonly disk: {
    readonly sha256?: string;
    readonly configdrive?: { readonly bytes: number };
  };
  /** What it booted from, each time: `Cd`, `Hdd`. */
  readonly boots: readonly string[];
}

export interface Lent {
  readonly name: string;
  readonly mac: string;
  readonly door: BmcDoor;
  /** `spec.bmc.address`. */
  readonly address: string;
  look(): Promise<Seen>;
  behave(problem: Partial<Trouble>): Promise<void>;
  /** A button at the machine, so to say. */
  reset(type: 'On' | 'ForceOff'): Promise<void>;
  /** What it boots from next. */
  bootFrom(source: 'Cd' | 'Hdd'): Promise<void>;
  giveBack(): Promise<void>;
}

export interface Fleet {
  readonly size: number;
  /** The next that is free. */
  lend(): Promise<Lent>;
  /** What must be read nowhere. */
  readonly passwords: readonly string[];
  /** Another one, which is among the passwords from then on. */
  newPassword(): string;
}

export function fleet(env: Env): Fleet {
  const size = Number(env('BMC_SYSTEMS') || '1');
  const free = Array.from({ length: size }, (_, index) => index + 1);
  const waiting: ((number: number) => void)[] = [];
  const passwords: string[] = [];
  const credentials = { username: env('BMC_USERNAME'), password: env('BMC_PASSWORD') };
  const password = (): string => {
    const made = newPassword();
    passwords.push(made);
    return made;
  };
  return {
    size,
    passwords,
    newPassword: password,
    async lend() {
      const number = free.shift() ?? (await new Promise<number>((resolve) => waiting.push(resolve)));
      const own = { username: 'operator', password: password() };
      const door = await openBmcDoor({ url: env('BMC_URL'), credentials, ...own });
      const name = `bm${number}`;
      const system = `/redfish/v1/Systems/00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
      const behave = async (problem: Partial<Trouble>): Promise<void> => {
        await ask(`${env('AGENTS_URL')}/${name}/behaviour`, 'PUT', { ...NO_TROUBLE, ...problem });
      };
      const authorization = `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;
      const reset = async (type: 'On' | 'ForceOff'): Promise<void> => {
        const action = `${env('BMC_URL')}${system}/Actions/ComputerSystem.Reset`;
        await ask(action, 'POST', { ResetType: type }, { authorization });
      };
      const bootFrom = async (source: 'Cd' | 'Hdd'): Promise<void> => {
        const boot = { BootSourceOverrideTarget: source, BootSourceOverrideEnabled: 'Continuous' };
        await ask(`${env('BMC_URL')}${system}`, 'PATCH', { Boot: boot }, { authorization });
      };
      // Its BMC keeps what somebody else had it boot from last.
      await bootFrom('Hdd');
      return {
        name,
        mac: `52:54:00:00:${number.toString(16).padStart(2, '0')}:01`,
        door,
        address: `redfish-virtualmedia+${door.url}${system}`,
        look: async () => (await ask(env('AGENTS_URL'), 'GET'))[name] as unknown as Seen,
        behave,
        reset,
        bootFrom,
        async giveBack() {
          await behave({});
          await reset('ForceOff');
          await door.close();
          const next = waiting.shift();
          if (next === undefined) free.push(number);
          else next(number);
        },
      };
    },
  };
}

async function ask(
  url: string,
  method: 'GET' | 'PATCH' | 'POST' | 'PUT',
  body?: Json,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonObject> {
  const answer = await request(url, method, body, headers);
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${await answer.text()}`);
  const text = await answer.text();
  return text === '' ? {} : (JSON.parse(text) as JsonObject);
}

/** Longest that anything is waited for: the machines are slow where many do much at a time, and on a slow machine. */
export const DEADLINE_MS = 400_000 * slowness(clock);
/** Between two looks: each costs Ironic some of what its other work takes. */
const PAUSE_MS = 1_000;

/** Until it is so, on a real clock. */
export async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endsAt = clock.now() + DEADLINE_MS;
  while (!(await isSo())) {
    if (clock.now() > endsAt) throw new Error(`it is not so after ${DEADLINE_MS} ms: ${what}`);
    await clock.sleep(PAUSE_MS);
  }
}
