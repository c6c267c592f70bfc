// All objects that have a lifecycle here, as they are now: each as the API server has it, in the last state of its actor.
//
// Invariants:
//   UI-OBJECT-GRAPH-1. A state is shown for the incarnation that reported it, and never for another one under the same name.
//   UI-OBJECT-GRAPH-2. Of two states the later one stands, in whatever order they are heard.
//   UI-OBJECT-GRAPH-3. Code of a kind that throws makes its objects poorer (no needs, no tone of their own), and breaks nothing.
import { joinedLines } from '../../adapters/text/without-end.ts';
import { type Address, addressKey, internAddress } from '../../bus/mod.ts';
import type { Kind, Resource } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';
import { spanOf } from '../base/change-trace.ts';
import { progressOf } from '../base/conditions.ts';
import { orElse } from '../diagnosis/diagnosis.ts';
import type { Registry } from '../object/registry.ts';
import { addressesIn, idIn } from './facts.ts';
import { needsOf } from './needs.ts';
import { toneNow, toneOfObject } from './status-colors.ts';
import { stepOf, type ToldStep } from './steps.ts';
import { type Changes, StatusColor, type Step, type Tree } from './wire.ts';

/** Steps of one batch; of more it is only said how many there were. */
const STEPS_AT_ONCE = 2_000;
/** Deleted objects that are still known by their effects on others. */
const GONE_KNOWN = 10_000;
/** Limit of an object's message, in characters. */
const SAID_LENGTH = 500;

interface Planted {
  readonly address: Address;
  readonly kind: Kind;
  readonly object: KubeObject;
  readonly needs: readonly string[];
  /** The shown form; undefined: to be made again. */
  tree: Tree | undefined;
}

interface State {
  readonly uid: string;
  readonly at: number;
  /** Empty: it is deleted. */
  readonly state: string;
  readonly tone: StatusColor;
  readonly generation: number | undefined;
  readonly attempts: number;
  readonly failingSince: number;
  readonly retryAt: number;
}

export class ObjectGraph {
  readonly #registry: Registry;
  readonly #planted = new Map<string, Planted>();
  readonly #states = new Map<string, State>();
  /** Keys by the span of what their objects do, the longest gone first among the gone. */
  readonly #bySpan = new Map<string, string>();
  readonly #goneSpans = new Set<string>();
  readonly #changed = new Set<string>();
  readonly #gone = new Set<string>();
  #steps: Step[] = [];
  #missed = 0;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** The object is there, or has changed. */
  put(kind: Kind, object: KubeObject): void {
    const { namespace = '', name, uid } = object.metadata;
    const address = internAddress({ realm: kind.realm, plural: kind.plural, namespace, name });
    const key = addressKey(address);
    const known = this.#planted.get(key)?.object.metadata;
    if (known?.uid === uid && known.resourceVersion === object.metadata.resourceVersion) return;
    const needs = orElse(() => needsOf(object, address, kind, this.#registry), []);
    this.#planted.set(key, { address, kind, object, needs, tree: undefined });
    const span = spanOf(uid);
    this.#goneSpans.delete(span);
    this.#bySpan.set(span, key);
    this.#gone.delete(key);
    this.#changed.add(key);
  }

  remove(key: string): void {
    const planted = this.#planted.get(key);
    if (planted === undefined) return;
    this.#planted.delete(key);
    this.#states.delete(key);
    this.#changed.delete(key);
    this.#gone.add(key);
    this.#goneSpans.add(spanOf(planted.object.metadata.uid));
    for (const span of this.#goneSpans) {
      if (this.#goneSpans.size <= GONE_KNOWN) break;
      this.#goneSpans.delete(span);
      this.#bySpan.delete(span);
    }
  }

  /** Everything of a resource, in one namespace or in all, is this. */
  replace(kind: Kind, place: string | undefined, objects: readonly KubeObject[]): void {
    const present = new Set(objects.map(({ metadata }) => metadata.uid));
    for (const [key, { kind: of, address, object }] of this.#planted) {
      const isMeant = of === kind && (place === undefined || address.namespace === place);
      if (isMeant && !present.has(object.metadata.uid)) this.remove(key);
    }
    for (const object of objects) this.put(kind, object);
  }

  /** Takes the state in; what happened is a step when it happens now, and none when it is recalled. */
  take(reported: ToldStep, when: 'now' | 'before'): void {
    const { key, uid, at, to: state, tone, attempts, failingSince, retryAt } = reported;
    if (when === 'now') this.#report(reported);
    const known = this.#states.get(key);
    if (known !== undefined && known.at > at) return;
    const planted = this.#planted.get(key);
    const generation = when === 'now' ? planted?.object.metadata.generation : undefined;
    this.#states.set(key, { uid, at, state, tone, generation, attempts, failingSince, retryAt });
    if (planted === undefined) return;
    planted.tree = undefined;
    this.#changed.add(key);
  }

  /** States of what is not there are of no use once all objects are known. */
  forgetStrangers(): void {
    for (const key of this.#states.keys()) if (!this.#planted.has(key)) this.#states.delete(key);
  }

  get size(): number {
    return this.#planted.size;
  }

  trees(): readonly Tree[] {
    return [...this.#planted].map(([key, planted]) => this.#treeOf(key, planted));
  }

  object(key: string): KubeObject | undefined {
    return this.#planted.get(key)?.object;
  }

  /** The key of the object that works under this span. */
  keyOfSpan(span: string): string | undefined {
    return span === '' ? undefined : this.#bySpan.get(span);
  }

  all(): Iterable<{ readonly address: Address; readonly kind: Resource; readonly object: KubeObject }> {
    return this.#planted.values();
  }

  get isChanged(): boolean {
    return this.#changed.size + this.#gone.size + this.#steps.length + this.#missed > 0;
  }

  /** Changes since the last call. */
  changes(at: number): Changes {
    const trees = [...this.#changed].flatMap((key) => {
      const planted = this.#planted.get(key);
      return planted === undefined ? [] : [this.#treeOf(key, planted)];
    });
    const changes = { at, trees, gone: [...this.#gone], steps: this.#steps, missed: this.#missed };
    this.forgetChanges();
    return changes;
  }

  /** Changes so far need not be sent. */
  forgetChanges(): void {
    this.#changed.clear();
    this.#gone.clear();
    this.#steps = [];
    this.#missed = 0;
  }

  #report(reported: ToldStep): void {
    if (this.#steps.length < STEPS_AT_ONCE) this.#steps.push(stepOf(reported, this.keyOfSpan(reported.bySpan)));
    else this.#missed += 1;
  }

  #treeOf(key: string, planted: Planted): Tree {
    planted.tree ??= this.#grown(key, planted);
    return planted.tree;
  }

  #grown(key: string, { address, kind, object, needs }: Planted): Tree {
    const { uid, creationTimestamp } = object.metadata;
    const known = this.#states.get(key);
    const reported = known?.uid === uid && known.state !== '' ? known : undefined;
    const progressing = progressOf(object);
    const tone =
      reported === undefined
        ? orElse(() => toneOfObject(object, kind, this.#registry), StatusColor.Unseen)
        : orElse(() => toneNow(reported, object, kind, this.#registry), reported.tone);
    const { namespace, name } = address;
    return {
      key,
      kind: kind.kind,
      namespace,
      name,
      uid,
      tone,
      state: reported?.state ?? '',
      since: reported?.failingSince || (reported?.at ?? instantOf(progressing?.lastTransitionTime)),
      attempts: reported?.attempts ?? 0,
      retryAt: reported?.retryAt ?? 0,
      createdAt: instantOf(creationTimestamp),
      said: oneLine(orElse(() => kind.life.summarize?.(object)?.message, undefined) || progressing?.message),
      id: idIn(object),
      addresses: addressesIn(object),
      needs,
    };
  }
}

function instantOf(time: unknown): number {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(at) ? 0 : at;
}

/** A status may contain anything, from any writer. Lines are joined by semicolons. */
function oneLine(message: unknown): string {
  if (typeof message !== 'string') return '';
  return joinedLines(message.slice(0, SAID_LENGTH)).replaceAll(/\s+/g, ' ');
}
