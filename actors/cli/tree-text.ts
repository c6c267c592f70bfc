// Trees drawn with lines, one node per line.

/** A node with children. */
export interface Branch<Each> {
  readonly below: readonly Each[];
}

/** All nodes from the top down, each with what stands before it on its line. */
export function drawn<Each extends Branch<Each>>(
  roots: readonly Each[],
): readonly { readonly indent: string; readonly each: Each }[] {
  const lines: { readonly indent: string; readonly each: Each }[] = [];
  const draw = (each: Each, first: string, rest: string): void => {
    lines.push({ indent: first, each });
    each.below.forEach((other, index) => {
      const isLast = index === each.below.length - 1;
      draw(other, `${rest}${isLast ? '└─ ' : '├─ '}`, `${rest}${isLast ? '   ' : '│  '}`);
    });
  };
  for (const root of roots) draw(root, '', '');
  return lines;
}
