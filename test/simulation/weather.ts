// How long messages take, and what becomes of requests: good and bad times of the bus, the API server and external systems.
import type { Misfortune } from './clouds.ts';
import { Trouble } from './misfortunes.ts';
import type { KubeFate } from './pod.ts';
import type { SimulatedTime } from './time.ts';

/** No call takes longer, in milliseconds. */
export const CALL_LIMIT_MS = 15_000;

export class Weather {
  readonly #time: SimulatedTime;
  readonly chance: () => number;
  /** Until when something lasts, by what. */
  readonly #lasting = new Map<string, number>();
  #lateEffectMs = 0;
  readonly #stalls = new Map<string, { readonly fromMs: number; readonly untilMs: number }>();

  constructor(time: SimulatedTime, chance: () => number) {
    this.#time = time;
    this.chance = chance;
  }

  /** Something goes on for so long. */
  last(what: string, forMs: number): void {
    this.#lasting.set(what, Math.max(this.#lasting.get(what) ?? 0, this.#time.elapsed() + forMs));
  }

  /** Whether it ever went on. */
  hasBeen(what: string): boolean {
    return this.#lasting.has(what);
  }

  /** When all that goes on is over, milliseconds since the beginning. */
  overMs(): number {
    return Math.max(0, ...this.#lasting.values());
  }

  /** What a process sends to the bus, or is sent, waits on the way from `inMs` on, for so long. */
  stall(pod: string, inMs: number, forMs: number): void {
    const fromMs = this.#time.elapsed() + inMs;
    this.#stalls.set(pod, { fromMs, untilMs: fromMs + forMs });
  }

  /** For so long, what is to be made is made so long after its deadline. */
  lateCreates(forMs: number, byMs: number): void {
    this.last('lateCreates', forMs);
    this.#lateEffectMs = byMs;
  }

  isStalled(pod: string): boolean {
    return this.#time.elapsed() < (this.#stalls.get(pod)?.untilMs ?? 0);
  }

  /** Of the next message to or from the bus, in milliseconds. */
  mailMs(pod: string): number {
    const takesMs = this.lasts(`slow ${pod}`)
      ? this.chance() * 1_500
      : 0.2 + this.chance() * (this.lasts('slowMail') ? 2_000 : 4);
    const now = this.#time.elapsed();
    const { fromMs, untilMs } = this.#stalls.get(pod) ?? { fromMs: 0, untilMs: 0 };
    const isStalled = fromMs <= now + takesMs && now < untilMs;
    return isStalled ? untilMs - now + takesMs : takesMs;
  }

  /** Of the next message to or from the API server, in milliseconds. */
  kubeMs(): number {
    return 0.5 + this.chance() * (this.lasts('slowKube') ? 3_000 : 15);
  }

  /** Of the next message to or from an external system, in milliseconds. */
  cloudMs(): number {
    return 1 + this.chance() * (this.lasts(Trouble.Slow) ? 8_000 : 60);
  }

  kubeFate(): KubeFate | undefined {
    if (this.lasts('lieKube') && this.chance() < 0.2) return 'lie';
    if (!this.lasts('loseKube') || this.chance() < 0.7) return undefined;
    return this.chance() < 0.5 ? 'lostBefore' : 'lostAfter';
  }

  /** So long after its deadline what is to be made is made, in milliseconds; undefined: while somebody waits for it. */
  lateEffectMs(): number | undefined {
    return this.lasts('lateCreates') ? this.#lateEffectMs : undefined;
  }

  /** What becomes of a request to an external system. @param makes  it makes something that an object stands for */
  fateOf({ method }: { readonly method: string }, makes = false): Misfortune | undefined {
    const lateEffectMs = this.lateEffectMs();
    if (makes && lateEffectMs !== undefined) {
      this.last('a late create', CALL_LIMIT_MS + lateEffectMs);
      return { landsAfterDeadlineMs: lateEffectMs };
    }
    const hits = (problem: Trouble): boolean => this.lasts(problem) && this.chance() < 0.6;
    if (hits(Trouble.Throttling)) return { status: 429, retryAfterMs: 1_000 + this.chance() * 4_000 };
    if (method !== 'GET' && method !== 'POST' && hits(Trouble.Outdating)) return { status: 412 };
    if (hits(Trouble.Failing)) return { status: this.chance() < 0.5 ? 500 : 503 };
    if (method !== 'GET' && method !== 'DELETE' && hits(Trouble.Refusing)) return { status: 409 };
    if (hits(Trouble.Dropping)) return { dropBeforeWork: true };
    if (hits(Trouble.Forgetful)) return { dropAfterWork: true };
    if (hits(Trouble.Confused)) return { failsAfterWork: true };
    if (hits(Trouble.Babbling)) return { garbage: '<html></html>' };
    if (method !== 'POST' && hits(Trouble.Lying)) return { lies: true };
    return undefined;
  }

  /** Whether it goes on now. */
  lasts(what: string): boolean {
    const untilMs = this.#lasting.get(what);
    return untilMs !== undefined && this.#time.elapsed() < untilMs;
  }
}
