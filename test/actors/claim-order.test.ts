// P4 orders the claims of one claimant by incarnation. Here is shown, for everything that can happen in a small history, that
// the order decides nothing as long as P9 holds: publications are compared, and none begins after the end of the lease. It is
// the second of two nets, and holds when the first does not.
//
// The history: a claimant lives, goes, and comes again (with CASES set, goes again). Its host A loses the lease at any moment
// and goes on; host B knows at least what A knew then, since it lists after it has the lease. A publication lands at any
// moment after it was sent. The host of the claimed object hears the stream in its order, and takes tombstones away, late.
// Two worlds do the same in the same order, one with P4 and one without.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseClaim } from '../../actors/mailbox/messages.ts';
import { type MayReplace, Outbox } from '../../actors/mailbox/outbox.ts';
import { Answers } from '../../actors/object/answers.ts';
import { type Claimant, ClaimPublisher, type OutgoingClaimsDeps } from '../../actors/object/claim-publisher.ts';
import { ClaimsTable } from '../../actors/object/claims-table.ts';
import { FairSemaphore } from '../../adapters/http/fair-semaphore.ts';
import { MemoryStream } from '../../bus/memory-broker.ts';
import type { ActorSubject, Clock, JsonObject, Mailbox, Publication } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';

const test = suite('order of claims');

const to = { realm: 'openstack', plural: 'networks', namespace: 'ns', name: 'net' };
const from = { realm: 'openstack', plural: 'subnets', namespace: 'ns', name: 'sub' };
const subject: ActorSubject = { to, topic: 'claim', from };

/** What becomes of the claimant, in order: two lives, each with its beginning and its end. */
const LIVES = ['first', 'second'] as const;
const EVENTS = process.env['CASES'] === undefined ? 3 : 2 * LIVES.length;

interface Options {
  /** P4. */
  readonly isOrdered: boolean;
  /** P9: a publication carries the sequence that it replaces. */
  readonly isCompared: boolean;
  /** P9: none begins after the end of the lease. */
  readonly isFenced: boolean;
}

/** The claims that one host makes on behalf of the claimant, and its line to the stream. */
class Author {
  /** Publications on their way: each lands when it is called. */
  readonly onTheirWay: (() => void)[] = [];
  /** All that it heard and said, and what came of it: what it does next follows from this. */
  readonly past: string[] = [];
  readonly #outbox: Outbox;
  readonly #options: Options;
  #life: ClaimPublisher | undefined;
  #now = 0;

  constructor(stream: MemoryStream, options: Options) {
    this.#options = options;
    const publish = (of: ActorSubject, payload: JsonObject, expected: number | undefined): Promise<Publication> =>
      new Promise((resolve) => {
        const sent = `${payload['uid']} ${payload['ended']} ${expected}`;
        this.past.push(`sends ${sent}`);
        this.onTheirWay.push(() => {
          const publication = stream.store(of, payload, options.isCompared ? expected : undefined);
          this.past.push(`${sent} ${JSON.stringify(publication)}`);
          resolve(publication);
        });
      });
    const last = async (of: ActorSubject) => {
      const found = stream.last(of);
      this.past.push(`finds ${found?.sequence}`);
      return found;
    };
    const mailbox = { shards: stream.shards, publish, last } as unknown as Mailbox;
    const never = new Promise<void>(() => undefined);
    const clock = { now: () => this.#now, sleep: () => never } as unknown as Clock;
    const endsAt = (): number => (options.isFenced ? 1 : Number.POSITIVE_INFINITY);
    const onTrouble = (): void => undefined;
    this.#outbox = new Outbox({ mailbox, clock, inFlight: new FairSemaphore(8), endsAt, onTrouble });
  }

  /** Its lease ends, and it does not know. */
  end(): void {
    this.past.push('is over');
    this.#now = 1;
  }

  /** Hears of the event at `index`, the first being the beginning of the first life. */
  hear(index: number): void {
    this.past.push(`hears ${index}`);
    const uid = LIVES[index >> 1] ?? '';
    const metadata = {
      name: from.name,
      namespace: from.namespace,
      uid,
      resourceVersion: `${10 + index}`,
      generation: 1,
    };
    const object = { apiVersion: 'v1', kind: 'Subnet', metadata } as KubeObject;
    if (index % 2 === 1) {
      void this.#life?.end(object);
      this.#life = undefined;
      return;
    }
    const references = () => [{ kind: 'Network', name: 'net', finalizers: ['own/subnet'], neededFor: 'create' }];
    const kind = { references, fieldManagers: { guards: 'subnet' } } as unknown as Claimant['kind'];
    this.#life = new ClaimPublisher(this.#deps(), {
      kind,
      from,
      uid,
      bornVersion: metadata.resourceVersion,
      answers: new Answers(),
    });
    this.#life.say(object, []);
  }

  #deps(): OutgoingClaimsDeps {
    const { isOrdered } = this.#options;
    const outbox: Pick<Outbox, 'say' | 'forget'> = {
      say: (of: ActorSubject, payload: JsonObject, mayReplace: MayReplace) => {
        const anyhow: MayReplace = (theirs, ours) => theirs['uid'] !== ours['uid'] || mayReplace(theirs, ours);
        return this.#outbox.say(of, payload, isOrdered ? mayReplace : anyhow);
      },
      forget: (of: ActorSubject, payload?: JsonObject) => this.#outbox.forget(of, payload),
    };
    return { outbox, registry: { target: () => to } } as unknown as OutgoingClaimsDeps;
  }
}

/** All that can be done next, by name. */
type Moves = ReadonlyMap<string, () => void>;

class World {
  readonly #stream = new MemoryStream({ now: () => 0 }, 1);
  readonly #table = new ClaimsTable();
  readonly #options: Options;
  readonly #a: Author;
  readonly #b: Author;
  /** What the claimed object's host has heard of, in words. */
  readonly heard: string[] = [];
  #held = 'nobody';
  /** How many events each has heard of; B undefined: it has not begun. */
  #heardByA = 0;
  #heardByB: number | undefined;
  #isOver = false;

  constructor(options: Options) {
    this.#options = options;
    this.#a = new Author(this.#stream, options);
    this.#b = new Author(this.#stream, options);
    this.#stream.changes.add((change) => {
      if (change.kind === 'stored') this.#take(change.mail.payload);
    });
  }

  /** The stream and the claim that counts, in words. */
  get outcome(): string {
    const { uid, ended } = this.#stream.last(subject)?.payload ?? {};
    return `${uid} ${ended}, ${this.#held} holds`;
  }

  /** Equal for worlds in which equal things can happen from now on. */
  get state(): string {
    const { lastSequence } = this.#stream;
    return JSON.stringify([this.outcome, lastSequence, this.#a.past, this.#b.past, this.#heardByB]);
  }

  moves(): Moves {
    const moves = new Map<string, () => void>();
    const [a, b] = [this.#heardByA, this.#heardByB];
    if (a < EVENTS) moves.set('A hears', () => this.#a.hear(this.#heardByA++));
    for (const [name, { onTheirWay }] of [
      ['A', this.#a],
      ['B', this.#b],
    ] as const)
      if (onTheirWay.length > 0) moves.set(`${name} lands`, () => onTheirWay.shift()?.());
    if (!this.#isOver)
      moves.set('A is over', () => {
        this.#isOver = true;
        this.#a.end();
      });
    else if (b === undefined)
      for (let known = a; known <= EVENTS; known++) moves.set(`B lists ${known}`, () => this.#list(known));
    else if (b < EVENTS)
      moves.set('B hears', () => {
        this.#b.hear(b);
        this.#heardByB = b + 1;
      });
    const last = this.#stream.last(subject);
    if (last?.payload['ended'] === true) moves.set('sweep', () => this.#stream.remove(last.sequence));
    return moves;
  }

  /** B takes over when so many events have happened, and says how it stands. */
  #list(known: number): void {
    this.#heardByB = known;
    if (known % 2 === 1) this.#b.hear(known - 1);
  }

  #take(payload: JsonObject): void {
    const claim = parseClaim(payload);
    assert.ok(claim);
    this.heard.push(`${claim.ended ? 'end of ' : ''}${claim.uid}`);
    if (this.#options.isOrdered) {
      this.#table.take('sub', { ...claim, from });
      this.#held = this.#table.get('sub')?.uid ?? 'nobody';
    } else this.#held = claim.ended ? 'nobody' : claim.uid;
  }
}

/** Resolves when no promise reaction is left. */
const settled = (): Promise<void> => new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));

/**
 * Plays every order of moves in both worlds; what was reached in another order before is not gone on with.
 * @returns in how many ways they end, and the first moves after which the worlds differ
 */
async function explore(
  rules: Omit<Options, 'isOrdered'>,
): Promise<{ readonly ends: number; readonly differs: readonly string[] }> {
  let ends = 0;
  const seen = new Set<string>();
  const open: (readonly string[])[] = [[]];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const worlds = [true, false].map((isOrdered) => new World({ ...rules, isOrdered }));
    const steps = [...path];
    for (let index = 0; ; index++) {
      const [one, other] = worlds as [World, World];
      const names = [...one.moves().keys()];
      const done = steps.slice(0, index);
      if (one.outcome !== other.outcome || one.heard.join() !== other.heard.join()) return { ends, differs: done };
      if (names.join() !== [...other.moves().keys()].join()) return { ends, differs: done };
      if (index === steps.length) {
        const state = `${one.state}${other.state}`;
        if (seen.has(state)) break;
        seen.add(state);
        const [next, ...others] = names;
        if (next === undefined) {
          ends++;
          break;
        }
        for (const name of others) open.push([...done, name]);
        steps.push(next);
      }
      for (const world of worlds) world.moves().get(steps[index] ?? '')?.();
      await settled();
    }
  }
  return { ends, differs: [] };
}

test('as long as P9 holds, the order of incarnations decides nothing, whatever happens when (P4)', async () => {
  const { ends, differs } = await explore({ isCompared: true, isFenced: true });
  assert.equal(differs, []);
  assert.ok(ends > 200, `${ends} ends`);
});

test('without comparing, the order is what keeps the older from replacing the newer (P4)', async () => {
  const { differs } = await explore({ isCompared: false, isFenced: true });
  assert.ok(differs.length > 0);
});

test('so it is where a host tries again after its lease has ended (P4)', async () => {
  const { differs } = await explore({ isCompared: true, isFenced: false });
  assert.ok(differs.length > 0);
});

test.run();
