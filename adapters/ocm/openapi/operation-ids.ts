/** Unique operation ids of a document: `booksBookLendOut` is `LendOut` of the book in books. */
export class OperationIds {
  readonly #given = new Set<string>();

  of(locators: readonly string[], method: string): string {
    const name = [...locators, method].join('');
    const base = name.charAt(0).toLowerCase() + name.slice(1);
    let id = base;
    for (let n = 2; this.#given.has(id); n++) id = `${base}${n}`;
    this.#given.add(id);
    return id;
  }
}
