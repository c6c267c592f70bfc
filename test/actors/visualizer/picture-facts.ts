// Facts about a picture of the page that do not depend on fonts: nothing overlaps, is cut, is too small or lies outside.
import type { Page } from 'playwright-core';

/** Smallest size of any text, and of a name, in pixels. */
const [TEXT, NAME] = [11, 12] as const;
/** Boxes of one picture that must not overlap each other. */
const BOXES = [
  '.card',
  '.node',
  '.root',
  '.row',
  '.tile',
  '.pc',
  '.it',
  '.chart .state rect, .chart .pl rect',
] as const;
const NAMES = '.row .mid, .root .mid, .node b, .list .nm .mid, .it b, .tr .nm .mid, .pc h3, .chain .lk';
/** Holders of text and marks, which must not reach beyond them, to the side or below. */
const HOLDERS: readonly (readonly [holder: string, held: string])[] = [
  ['.ring', 'b, small'],
  ['.inspector > .tabs', 'button, i'],
  ['.hist', '.mark'],
  ['.history li.current', 'span, small'],
  ['.tr .nm', '.mid, .dim'],
];
/** Least space between a text and the right side of its holder, in pixels. */
const INSET = 1;
/** They float above what is scrolled. */
const FLOATING = '.zoom, .note, .crumb, .beside, .nomatch, .legend, .labels, .lens, .count, .brush, .track';

/** Complaints about what is seen now, a line each. */
export function faultsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(look, { TEXT, NAME, BOXES, NAMES, HOLDERS, INSET, FLOATING });
}

interface Rules {
  readonly TEXT: number;
  readonly NAME: number;
  readonly BOXES: readonly string[];
  readonly NAMES: string;
  readonly HOLDERS: typeof HOLDERS;
  readonly INSET: number;
  readonly FLOATING: string;
}

/** Runs in the page. */
function look({ TEXT, NAME, BOXES, NAMES, HOLDERS, INSET, FLOATING }: Rules): readonly string[] {
  interface Rect {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
  }
  const faults: string[] = [];
  const scrolls = /auto|scroll|hidden|clip/;
  /** Visible part of an element; undefined: none. */
  const seen = (element: Element, whole?: Rect): Rect | undefined => {
    let { left, right, top, bottom } = whole ?? element.getBoundingClientRect();
    for (
      let parent: Element | null = whole === undefined ? element.parentElement : element;
      parent !== null;
      parent = parent.parentElement
    ) {
      if (getComputedStyle(parent).visibility === 'hidden') return undefined;
      if (!scrolls.test(getComputedStyle(parent).overflow)) continue;
      const box = parent.getBoundingClientRect();
      left = Math.max(left, box.left);
      right = Math.min(right, box.right);
      top = Math.max(top, box.top);
      bottom = Math.min(bottom, box.bottom);
    }
    return right - left > 1 && bottom - top > 1 ? { left, right, top, bottom } : undefined;
  };
  const overlap = (one: Rect, other: Rect): boolean =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 2 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 3;
  const named = (element: Element): string =>
    `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} '${(element.textContent ?? '').trim().slice(0, 30)}'`;
  const isThere = (element: Element): boolean =>
    element.checkVisibility({ visibilityProperty: true }) && element.closest('.hidden, .skip') === null;

  for (const selector of BOXES) {
    const boxes = [...document.querySelectorAll(selector)].filter(isThere).flatMap((element) => {
      const rect = seen(element);
      return rect === undefined ? [] : [{ element, rect }];
    });
    for (const [index, one] of boxes.entries()) {
      for (const other of boxes.slice(index + 1)) {
        if (one.element.contains(other.element)) continue;
        if (overlap(one.rect, other.rect))
          faults.push(
            `${named(one.element.parentElement ?? one.element)} overlaps ${named(other.element.parentElement ?? other.element)}`,
          );
      }
    }
  }
  const texts: { readonly element: Element; readonly rect: Rect }[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (element === null || (node.textContent ?? '').trim() === '' || !isThere(element)) continue;
    if (element.closest('dialog, option, script, style, title') !== null) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rect = seen(element, range.getBoundingClientRect());
    if (rect === undefined) continue;
    // Text of a drawing is as large as the drawing makes it.
    const drawn = element instanceof SVGGraphicsElement ? Math.abs(element.getScreenCTM()?.d ?? 1) : 1;
    const size = Number.parseFloat(getComputedStyle(element).fontSize) * drawn;
    if (size < TEXT - 0.1) faults.push(`${named(element)} is ${size} px`);
    if (rect.left < -1 || rect.right > innerWidth + 1) faults.push(`${named(element)} lies outside`);
    if (element.closest(FLOATING) === null) texts.push({ element, rect });
  }
  for (const [index, one] of texts.entries()) {
    for (const other of texts.slice(index + 1)) {
      if (one.element !== other.element && overlap(one.rect, other.rect))
        faults.push(`text ${named(one.element)} overlaps ${named(other.element)}`);
    }
  }
  for (const element of [...document.querySelectorAll(NAMES)].filter(isThere)) {
    const rect = seen(element);
    if (rect === undefined) continue;
    const size = Number.parseFloat(getComputedStyle(element).fontSize);
    if (size < NAME) faults.push(`the name ${named(element)} is ${size} px`);
    // What is scrolled out in part has room elsewhere.
    const { width } = element.getBoundingClientRect();
    if (width < 24 && (element.textContent ?? '').trim().length > 4)
      faults.push(`the name ${named(element)} has no room`);
  }
  for (const [holder, held] of HOLDERS) {
    for (const outer of [...document.querySelectorAll(holder)].filter(isThere)) {
      const { left, right, bottom } = outer.getBoundingClientRect();
      for (const inner of [...outer.querySelectorAll(held)].filter(isThere)) {
        const rect = inner.getBoundingClientRect();
        const isInside = rect.left >= left && rect.right <= right - INSET && rect.bottom <= bottom;
        if (rect.width > 0 && !isInside) faults.push(`${named(inner)} reaches beyond ${named(outer)}`);
      }
    }
  }
  const { scrollWidth, scrollHeight } = document.documentElement;
  if (scrollWidth > innerWidth) faults.push('the page is wider than the window');
  if (scrollHeight > innerHeight) faults.push(`the page is ${scrollHeight - innerHeight} px higher than the window`);
  return [...new Set(faults)].slice(0, 12);
}
