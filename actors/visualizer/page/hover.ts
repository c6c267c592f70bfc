// Highlights under the pointer, and the focus that moves along objects by arrow keys.

/** Delay before a highlight, in milliseconds. */
const AFTER_MS = 80;

export function keyOf(target: EventTarget | null): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('[data-key]')?.dataset['key'] : undefined;
}

/** @param onHover  told of a key, or of undefined when nothing is pointed at any more */
export function onHover(element: HTMLElement, report: (key: string | undefined) => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shown: string | undefined;
  const set = (key: string | undefined, afterMs: number): void => {
    clearTimeout(timer);
    if (key === shown) return;
    timer = setTimeout(() => {
      shown = key;
      report(key);
    }, afterMs);
  };
  element.addEventListener('pointerover', ({ target }) => set(keyOf(target), AFTER_MS));
  element.addEventListener('pointerleave', () => set(undefined, 0));
  element.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element && target.matches(':focus-visible')) set(keyOf(target), AFTER_MS);
  });
  element.addEventListener('focusout', () => set(undefined, AFTER_MS));
}

const AWAY: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/** Moves the focus to the nearest object in the direction of an arrow. @returns whether it was one */
export function moveByArrow(element: HTMLElement, event: KeyboardEvent): boolean {
  const away = AWAY[event.key];
  const from = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-key]') : null;
  if (away === undefined || from === null || event.ctrlKey || event.metaKey || event.altKey) return false;
  const [x, y] = centerOf(from);
  let [best, least] = [undefined as HTMLElement | undefined, Number.POSITIVE_INFINITY];
  for (const each of element.querySelectorAll<HTMLElement>('[data-key]')) {
    const [otherX, otherY] = centerOf(each);
    const ahead = (otherX - x) * away[0] + (otherY - y) * away[1];
    const aside = Math.abs((otherX - x) * away[1]) + Math.abs((otherY - y) * away[0]);
    if (ahead < 4 || aside > 4 * ahead + 12) continue;
    const distance = ahead + 3 * aside;
    if (distance < least) [best, least] = [each, distance];
  }
  if (best === undefined) return true;
  focusOn(best);
  return true;
}

/** One of a card is reached by Tab, the others by arrows. */
export function focusOn(element: HTMLElement): void {
  for (const each of element.closest('.card, .graph')?.querySelectorAll<HTMLElement>('[data-key]') ?? [])
    each.tabIndex = -1;
  element.tabIndex = 0;
  element.focus();
}

function centerOf(element: Element): readonly [number, number] {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + Math.min(width, 120) / 2, top + height / 2];
}

/** Scrolls a place, and nothing around it, to what is in it and not wholly seen. */
export function reveal(
  place: Element,
  { left, right, top, bottom }: Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>,
): void {
  const seen = place.getBoundingClientRect();
  const across = left < seen.left || right > seen.right ? (left + right - seen.left - seen.right) / 2 : 0;
  const down = top < seen.top || bottom > seen.bottom ? (top + bottom - seen.top - seen.bottom) / 2 : 0;
  if (across !== 0 || down !== 0) place.scrollBy({ left: across, top: down, behavior: 'instant' });
}
