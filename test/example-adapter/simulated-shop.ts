// The print shop without its wire: rolls of paper, and slots on a press in which books are printed and bound.
//
// Rolls are made by POST, twice if asked twice; slots by PUT, under a name. A print goes on when nobody listens any more. It
// keeps nothing across its end, knows no users, and answers what it does not know with 404.
import type { Clock } from 'troupe/adapter';

export interface Roll {
  readonly id: string;
  readonly name: string;
  grams: number;
}

export interface Slot {
  readonly name: string;
  readonly pages: number;
  state: 'reserved' | 'printing' | 'printed' | 'binding' | 'bound';
  sheets: number;
  /** How often a print was begun in it, ever. */
  prints: number;
}

export interface ShopRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Empty when there is none. */
  readonly text: string;
}

export interface ShopAnswer {
  readonly status: number;
  readonly body: object;
  /** A print was begun: until its last sheet is printed, `report` hears of each. */
  readonly printed?: Promise<void>;
}

export interface SimulatedShop {
  readonly rolls: Map<string, Roll>;
  readonly slots: Map<string, Slot>;
  answer(request: ShopRequest, report: (line: object) => void): ShopAnswer;
}

export interface SimulatedShopOptions {
  readonly clock: Clock;
  /** How long a sheet takes to print, in milliseconds; binding takes as long as one. */
  readonly sheetMs: number;
  /** Nothing is printed or bound after this. */
  readonly stop?: AbortSignal;
}

export function simulatedShop({ clock, sheetMs, stop }: SimulatedShopOptions): SimulatedShop {
  const rolls = new Map<string, Roll>();
  const slots = new Map<string, Slot>();
  let made = 0;

  /** Whether the job is still wanted: nobody threw its slot away. */
  const isWanted = (slot: Slot): boolean => slots.get(slot.name) === slot && stop?.aborted !== true;
  const print = async (slot: Slot, report: (line: object) => void): Promise<void> => {
    while (slot.sheets < slot.pages && isWanted(slot)) {
      await clock.sleep(sheetMs, stop);
      slot.sheets += 1;
      report({ sheets: slot.sheets, of: slot.pages });
    }
    slot.state = 'printed';
  };
  const bind = async (slot: Slot): Promise<void> => {
    await clock.sleep(sheetMs, stop);
    slot.state = 'bound';
  };

  const answerRolls = (method: string, id: string, url: URL, body: { name: string; grams: number }): ShopAnswer => {
    if (method === 'POST') {
      const roll: Roll = { id: `roll-${++made}`, name: body.name, grams: body.grams };
      rolls.set(roll.id, roll);
      return { status: 201, body: roll };
    }
    const name = url.searchParams.get('name');
    if (id === '') return { status: 200, body: [...rolls.values()].filter((roll) => roll.name === name) };
    const roll = rolls.get(id);
    if (roll === undefined) return { status: 404, body: { message: `there is no roll '${id}'` } };
    if (method === 'PATCH') roll.grams = body.grams;
    if (method === 'DELETE') rolls.delete(id);
    return { status: 200, body: roll };
  };
  const answerSlots = (
    method: string,
    [name = '', job = '']: readonly string[],
    body: { pages: number },
    report: (line: object) => void,
  ): ShopAnswer => {
    if (method === 'PUT' && !slots.has(name)) {
      slots.set(name, { name, pages: body.pages, state: 'reserved', sheets: 0, prints: 0 });
    }
    const slot = slots.get(name);
    if (slot === undefined) return { status: 404, body: { message: `there is no slot '${name}'` } };
    if (method === 'DELETE') slots.delete(name);
    if (method !== 'POST') return { status: 200, body: slot };
    if (job === 'prints') {
      // Asked twice it prints twice, on top of each other.
      slot.state = 'printing';
      slot.prints += 1;
      return { status: 200, body: slot, printed: print(slot, report) };
    }
    if (job === 'recycling') Object.assign(slot, { state: 'reserved', sheets: 0 });
    if (job === 'binding') {
      if (slot.state !== 'printed') return { status: 409, body: { message: `slot '${name}' is ${slot.state}` } };
      slot.state = 'binding';
      void bind(slot);
    }
    return { status: 202, body: slot };
  };

  return {
    rolls,
    slots,
    answer({ method, path, text }, report) {
      const url = new URL(path, 'http://localhost');
      const [, collection, ...rest] = url.pathname.split('/').map(decodeURIComponent);
      const body = text === '' ? {} : JSON.parse(text);
      if (collection === 'rolls') return answerRolls(method, rest[0] ?? '', url, body);
      if (collection === 'slots') return answerSlots(method, rest, body, report);
      return { status: 404, body: { message: 'there are rolls and slots' } };
    },
  };
}
