// Situations that histories of a model are there to bring, beside transitions of state machines.

export class Situations<Name extends string = string> {
  readonly ids: readonly string[];
  #follow: (id: string) => void = () => undefined;
  readonly #about: string;

  constructor(about: string, names: readonly Name[]) {
    this.#about = about;
    this.ids = names.map((name) => `${about}: ${name}`);
  }

  /** From now on whatever is noted is told. */
  follow(reported: (id: string) => void): void {
    this.#follow = reported;
  }

  note(name: Name): void {
    this.#follow(`${this.#about}: ${name}`);
  }
}
