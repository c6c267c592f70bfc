// Questions of one kind that come while another is being answered are asked together.

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly answered: PromiseWithResolvers<Answer>;
}

export class RequestBatcher<Item, Answer> {
  readonly #ask: (items: readonly Item[]) => Promise<readonly Answer[]>;
  readonly #most: number;
  #waiting: Waiting<Item, Answer>[] = [];
  #isAsking = false;

  /**
   * @param deps.ask  answers all in their order
   * @param deps.most  how many are asked together
   */
  constructor({ ask, most }: { ask: (items: readonly Item[]) => Promise<readonly Answer[]>; most: number }) {
    this.#ask = ask;
    this.#most = most;
  }

  /** At once if nothing is being asked, else with what comes until that is answered. */
  ask(item: Item): Promise<Answer> {
    const answered = Promise.withResolvers<Answer>();
    this.#waiting.push({ item, answered });
    if (!this.#isAsking) void this.#askAll();
    return answered.promise;
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    while (this.#waiting.length > 0) {
      const together = this.#waiting.splice(0, this.#most);
      try {
        const answers = await this.#ask(together.map(({ item }) => item));
        if (answers.length !== together.length) throw new Error('not every question was answered');
        for (const [index, { answered }] of together.entries()) answered.resolve(answers[index] as Answer);
      } catch (error) {
        for (const { answered } of together) answered.reject(error);
      }
    }
    this.#isAsking = false;
  }
}
