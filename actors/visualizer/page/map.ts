// Thousands of objects at a glance: a square each, by namespace and kind.
import type { Tree } from '../wire.ts';
import { BAD, labelOf } from './tones.ts';

export interface MapDeps {
  readonly onChoose: (key: string) => void;
}

interface Cell {
  readonly link: HTMLAnchorElement;
  tree: Tree;
}

export class ObjectMap {
  readonly element = document.createElement('div');
  readonly #deps: MapDeps;
  readonly #cells = new Map<string, Cell>();
  readonly #rows = new Map<string, HTMLElement>();
  readonly #tip = document.createElement('div');
  #chosen = '';

  constructor(deps: MapDeps) {
    this.#deps = deps;
    this.element.className = 'map';
    this.#tip.className = 'tip';
    this.#tip.setAttribute('aria-hidden', 'true');
    this.element.append(this.#tip);
    this.element.addEventListener('click', (event) => {
      const key = keyOf(event.target);
      if (key === undefined) return;
      event.preventDefault();
      this.#deps.onChoose(key);
    });
    this.element.addEventListener('pointerover', ({ target }) => this.#report(keyOf(target)));
    this.element.addEventListener('focusin', ({ target }) => this.#report(keyOf(target)));
    this.element.addEventListener('pointerleave', () => this.#report(undefined));
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
  }

  update(trees: readonly Tree[], chosen: string): void {
    const there = new Set<string>();
    for (const tree of trees) {
      there.add(tree.key);
      const cell = this.#cells.get(tree.key);
      if (cell === undefined) this.#make(tree);
      else if (cell.tree !== tree) this.#paint(cell, tree);
    }
    if (there.size < this.#cells.size) {
      for (const [key, { link }] of this.#cells) {
        if (there.has(key)) continue;
        link.remove();
        this.#cells.delete(key);
      }
      this.#sweep();
    }
    this.#count();
    if (chosen === this.#chosen) return;
    this.#cells.get(this.#chosen)?.link.classList.remove('chosen');
    this.#cells.get(chosen)?.link.classList.add('chosen');
    this.#chosen = chosen;
  }

  #make(tree: Tree): void {
    const link = document.createElement('a');
    link.href = `#object=${encodeURIComponent(tree.key)}`;
    link.dataset['key'] = tree.key;
    // One of them is reached by Tab, the others by arrows.
    link.tabIndex = this.#cells.size === 0 ? 0 : -1;
    const cell = { link, tree };
    this.#cells.set(tree.key, cell);
    this.#paint(cell, tree);
    this.#row(tree).append(link);
  }

  #paint(cell: Cell, tree: Tree): void {
    cell.tree = tree;
    cell.link.className = `cell ${tree.tone}${tree.key === this.#chosen ? ' chosen' : ''}`;
    cell.link.setAttribute('aria-label', `${tree.kind} ${tree.name}, ${labelOf(tree.tone)}`);
  }

  /** The squares of one kind in one namespace, the namespaces and kinds in the order of their names. */
  #row({ namespace, kind }: Tree): HTMLElement {
    const id = `${namespace}/${kind}`;
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const place = this.#place(namespace);
    const row = document.createElement('div');
    row.className = 'row';
    row.dataset['name'] = kind;
    const head = document.createElement('h3');
    head.textContent = kind;
    const cells = document.createElement('div');
    cells.className = 'cells';
    row.append(head, cells);
    insertByName(place, row);
    this.#rows.set(id, cells);
    return cells;
  }

  #place(namespace: string): HTMLElement {
    const found = [...this.element.children].find(
      (each): each is HTMLElement => each instanceof HTMLElement && each.dataset['name'] === namespace,
    );
    if (found !== undefined) return found;
    const place = document.createElement('section');
    place.className = 'namespace';
    place.dataset['name'] = namespace;
    const head = document.createElement('h2');
    const name = document.createElement('span');
    name.textContent = namespace === '' ? 'cluster-scoped' : namespace;
    const count = document.createElement('span');
    count.className = 'count';
    head.append(name, count);
    place.append(head);
    insertByName(this.element, place);
    return place;
  }

  /** How many there are, and with how many something is wrong. */
  #count(): void {
    const counts = new Map<string, { all: number; bad: number }>();
    for (const { tree } of this.#cells.values()) {
      const count = counts.get(tree.namespace) ?? { all: 0, bad: 0 };
      counts.set(tree.namespace, count);
      count.all++;
      if (BAD.has(tree.tone)) count.bad++;
    }
    for (const [namespace, { all, bad }] of counts) {
      const text = bad === 0 ? `${all}` : `${all}, ${bad} with a problem`;
      const count = this.#place(namespace).querySelector('.count');
      if (count !== null && count.textContent !== text) count.textContent = text;
    }
  }

  #sweep(): void {
    for (const [id, cells] of this.#rows) {
      if (cells.childElementCount > 0) continue;
      const place = cells.parentElement?.parentElement;
      cells.parentElement?.remove();
      if (place?.querySelector('.row') === null) place.remove();
      this.#rows.delete(id);
    }
  }

  #report(key: string | undefined): void {
    const cell = key === undefined ? undefined : this.#cells.get(key);
    this.#tip.classList.toggle('shown', cell !== undefined);
    if (cell === undefined) return;
    const { kind, name, tone, said } = cell.tree;
    this.#tip.textContent = [`${kind}/${name}`, labelOf(tone), said].filter(Boolean).join(' · ');
    const square = cell.link.getBoundingClientRect();
    const all = this.element.getBoundingClientRect();
    const left = Math.min(square.left - all.left, Math.max(0, all.width - this.#tip.offsetWidth - 12));
    this.#tip.style.left = `${left}px`;
    this.#tip.style.top = `${square.bottom - all.top + this.element.scrollTop + 6}px`;
  }

  #onKey(event: KeyboardEvent): void {
    const key = keyOf(event.target);
    const cell = key === undefined ? undefined : this.#cells.get(key);
    if (cell === undefined) return;
    const all = [...this.element.querySelectorAll<HTMLAnchorElement>('.cell')];
    const moves: Readonly<Record<string, number>> = {
      ArrowRight: 1,
      ArrowLeft: -1,
      Home: -all.length,
      End: all.length,
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    const next = all[Math.max(0, Math.min(all.length - 1, all.indexOf(cell.link) + move))];
    cell.link.tabIndex = -1;
    if (next === undefined) return;
    next.tabIndex = 0;
    next.focus();
  }
}

function keyOf(target: EventTarget | null): string | undefined {
  return target instanceof HTMLElement ? target.dataset['key'] : undefined;
}

function insertByName(parent: Element, child: HTMLElement): void {
  const name = child.dataset['name'] ?? '';
  const after = [...parent.children].find(
    (each) => each instanceof HTMLElement && each.dataset['name'] !== undefined && each.dataset['name'] > name,
  );
  parent.insertBefore(child, after ?? null);
}
