// `troupe migrate <realm>`: every object of an adapter's group is stored in the version that its definition says, so that the one
// before can be dropped.
//
// Invariants:
//   CLI-MIGRATE-1. A definition says that nothing is stored in another version only after every object was written since it has said so.
//   CLI-MIGRATE-2. After any end, the next run continues where it was: nothing is done twice but the last few objects.
//   CLI-MIGRATE-3. What an object says is what it said before: nothing of it is written.

import type { Adapter } from '../../../adapters/api/adapter.ts';
import { type KubeClient, kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { hint } from '../../../adapters/text/nearest.ts';
import { type Clock, ErrorCode, TerminalError, TransientError, toErrorData } from '../../../bus/mod.ts';
import type { Config } from '../../base/config.ts';
import { plain } from '../../base/printable.ts';
import { USER_AGENT } from '../../base/version.ts';
import { type Definition, definitionNamed, definitionsOf, noteAt, settleStored } from './definition.ts';
import { type Progress, progress } from './progress.ts';
import { keyOf, type Outcome, type Place, placesOf, rewrite } from './rewriting.ts';

export interface MigrateDeps {
  readonly config: Pick<Config, 'kubeconfig' | 'inCluster'> & Partial<Pick<Config, 'context' | 'env'>>;
  readonly adapters: readonly MigratedAdapter[];
  readonly clock: Clock;
  /** One realm. */
  readonly names: readonly string[];
  /** Undefined: all, and only then the work can be finished. */
  readonly namespaces: readonly string[] | undefined;
  /** Whole number, at least 1. */
  readonly perSecond: number;
  readonly isDry: boolean;
  readonly signal: AbortSignal;
  readonly out: NodeJS.WritableStream;
  /** Work that runs meanwhile. */
  readonly notes: NodeJS.WritableStream;
  readonly isTerminal: boolean;
}

type MigratedAdapter = Pick<Adapter, 'realm' | 'companions'> & {
  readonly contracts: readonly { readonly group: string }[];
};

/** Objects that are under way at a time, after which it is noted how far it is. */
const BATCH = 50;
/** Time that all API servers take at most to learn of a definition, in milliseconds: until then one may store in the version before. */
const SETTLED_MS = 5_000;
/** Number of failures that are printed one by one. */
const TOLD = 10;
const INTERRUPTED = 130;

/** @returns the exit code: 0, 1 if some object failed, 130 if it was stopped @throws {TroupeError} it cannot begin, or continue */
export async function migrate(deps: MigrateDeps): Promise<number> {
  const { config, clock, isDry, isTerminal, notes } = deps;
  const adapter = adapterNamed(deps);
  const { kubeconfig, context, inCluster, env } = config;
  if (kubeconfig === undefined && inCluster === undefined) {
    throw new TerminalError('KUBECONFIG is not set and this is no pod: name the cluster with --kubeconfig');
  }
  const client = kubeClient({ clock, kubeconfig, context, inCluster, env, userAgent: USER_AGENT });
  const shown = progress({ out: notes, clock, isTerminal });
  try {
    const groups = [...new Set(adapter.contracts.map(({ group }) => group))];
    const all = await definitionsOf(client, groups);
    if (all.length === 0) throw new TerminalError(`the cluster has no definitions of ${groups.join(', ')}`);
    const due = all.filter(isDue);
    const migration = new Migration(client, deps, adapter.companions ?? [], shown);
    for (const definition of all.filter((each) => !isDue(each))) migration.say(definition, 'nothing to do');
    if (!isDry) await migration.begin(due);
    for (const definition of due) await migration.go(definition);
    return migration.exitCode;
  } finally {
    shown.end();
    await client.close();
  }
}

/** Whether some of its objects may be stored otherwise than new ones. */
const isDue = ({ stored, storage }: Definition): boolean => stored.some((version) => version !== storage);

class Migration {
  readonly #client: KubeClient;
  readonly #deps: MigrateDeps;
  readonly #companions: NonNullable<Adapter['companions']>;
  readonly #progress: Progress;
  /** When the next object may be written. */
  #nextAt = 0;
  #failed = 0;

  constructor(client: KubeClient, deps: MigrateDeps, companions: NonNullable<Adapter['companions']>, shown: Progress) {
    this.#client = client;
    this.#deps = deps;
    this.#companions = companions;
    this.#progress = shown;
  }

  get exitCode(): number {
    if (this.#deps.signal.aborted) return INTERRUPTED;
    return this.#failed > 0 ? 1 : 0;
  }

  /** Notes where it begins. What was not noted before may still be news to some API server. */
  async begin(definitions: readonly Definition[]): Promise<void> {
    const { clock, signal, namespaces } = this.#deps;
    const fresh = definitions.filter(({ note }) => note === undefined);
    if (namespaces === undefined) {
      for (const definition of fresh) {
        await noteAt(this.#client, definition, { generation: definition.generation, after: '', done: 0 });
      }
    }
    if (fresh.length > 0) await clock.sleep(SETTLED_MS, signal);
  }

  async go(definition: Definition): Promise<void> {
    const { namespaces, isDry, signal, perSecond } = this.#deps;
    if (signal.aborted) return;
    // Requests that have begun are ended, within a second.
    const many = Math.min(BATCH, perSecond);
    const places = await placesOf({ client: this.#client, clock: this.#deps.clock }, definition, namespaces);
    if (isDry) return this.#try(definition, places);
    // With some namespaces only, nothing is recorded: it would be about all.
    const note = namespaces === undefined ? definition.note : undefined;
    const left = note === undefined ? places : places.filter((place) => isAfter(place, note.after));
    const counts = { rewritten: 0, gone: 0, failed: 0 };
    const before = places.length - left.length;
    for (let at = 0; at < left.length && !signal.aborted; at += many) {
      const batch = left.slice(at, at + many);
      const outcomes = await Promise.all(batch.map((place) => this.#paced(definition, place)));
      for (const [index, outcome] of outcomes.entries()) this.#count(counts, definition, batch[index], outcome);
      this.#progress.show(`${definition.kind}: ${before + Math.min(at + many, left.length)} of ${places.length}`);
      const last = batch.at(-1);
      // A failed object is tried again by the next run.
      if (namespaces !== undefined || counts.failed > 0 || last === undefined) continue;
      const done = before + at + batch.length;
      await noteAt(this.#client, definition, { generation: definition.generation, after: keyOf(last), done });
    }
    await this.#close(definition, before, counts);
  }

  say({ name, storage }: Definition, what: string): void {
    this.#progress.clear();
    this.#deps.out.write(`${name}  ${storage}  ${what}\n`);
  }

  /** That it would work, by one object. */
  async #try(definition: Definition, places: readonly Place[]): Promise<void> {
    const [first] = places;
    const outcome = first === undefined ? 'gone' : await this.#paced(definition, first);
    const many = `${places.length} objects would be written`;
    if (typeof outcome === 'string') return this.say(definition, many);
    this.#failed += 1;
    this.say(definition, `${many}, but '${first === undefined ? '' : keyOf(first)}' could not be: ${outcome.failed}`);
  }

  async #paced(definition: Definition, place: Place): Promise<Outcome> {
    const { clock, perSecond, signal, isDry } = this.#deps;
    const at = Math.max(clock.now(), this.#nextAt);
    this.#nextAt = at + 1_000 / perSecond;
    await clock.sleep(Math.max(0, at - clock.now()), signal);
    return rewrite({ client: this.#client, clock, companions: this.#companions }, definition, place, { isDry });
  }

  #count(
    counts: { rewritten: number; gone: number; failed: number },
    { kind }: Definition,
    place: Place | undefined,
    outcome: Outcome,
  ): void {
    if (typeof outcome === 'string') {
      counts[outcome] += 1;
      return;
    }
    counts.failed += 1;
    this.#failed += 1;
    if (this.#failed > TOLD || place === undefined) return;
    this.#progress.clear();
    this.#deps.notes.write(`${kind} '${keyOf(place)}' cannot be written: ${plain(outcome.failed)}\n`);
  }

  async #close(
    definition: Definition,
    before: number,
    { rewritten, gone, failed }: { rewritten: number; gone: number; failed: number },
  ): Promise<void> {
    const { namespaces, signal } = this.#deps;
    const parts = [
      `${rewritten} rewritten`,
      ...(before > 0 ? [`${before} by an earlier run`] : []),
      ...(gone > 0 ? [`${gone} gone meanwhile`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
    ];
    const seen = parts.join(', ');
    if (signal.aborted) return this.say(definition, `${seen}; stopped: the next run continues from here`);
    if (failed > 0) return this.say(definition, `${seen}; run it again when that is repaired`);
    if (namespaces !== undefined)
      return this.say(definition, `${seen} in ${namespaces.join(', ')}; others may be left`);
    await this.#settle(definition);
    this.say(
      definition,
      `${seen}; nothing is stored in ${definition.stored.filter((each) => each !== definition.storage).join(', ')} any more`,
    );
  }

  /** Says in the definition what is so now. */
  async #settle({ name, storage, generation }: Definition): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const now = await definitionNamed(this.#client, name);
      if (now.generation !== generation || now.storage !== storage) {
        throw new TransientError(`'${name}' was changed meanwhile: run it again`);
      }
      try {
        await settleStored(this.#client, now);
        break;
      } catch (error) {
        if (toErrorData(error).code !== ErrorCode.Conflict || attempt === 10) throw error;
        await this.#deps.clock.sleep(100 * attempt);
      }
    }
    await noteAt(this.#client, await definitionNamed(this.#client, name), undefined);
  }
}

function isAfter(place: Place, key: string): boolean {
  return Buffer.compare(Buffer.from(keyOf(place)), Buffer.from(key)) > 0;
}

function adapterNamed({ adapters, names }: MigrateDeps): MigratedAdapter {
  const [realm, extra] = names;
  const realms = adapters.map((adapter) => adapter.realm);
  if (realm === undefined || extra !== undefined) {
    const got = names.length === 0 ? 'nothing' : `'${names.join(' ')}'`;
    throw new TerminalError(`'migrate' takes one of ${realms.join(', ')}; got ${got}`);
  }
  const found = adapters.find((adapter) => adapter.realm === realm);
  if (found !== undefined) return found;
  throw new TerminalError(`there is no adapter '${realm}'${hint(realm, realms)}; there are ${realms.join(', ')}`);
}
