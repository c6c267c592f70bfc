// What is wrong right now, and what a person can do about it.
import { html } from 'lit-html';
import type { Problem, Problems } from '../wire.ts';
import { type Html, objectLink, sign, type ViewDeps } from './parts.ts';
import { server } from './server.ts';
import type { State } from './state.ts';
import { clock, counted } from './text.ts';
import { StatusColor } from './tones.ts';

/** Objects named below a problem. */
const NAMED = 8;
/** From this weight on a person has to do something. */
const GRAVE = 5;
/** While something changes it is asked again so often, in milliseconds. */
const AGAIN_MS = 1_500;

export class ProblemsView {
  readonly #deps: ViewDeps;
  #answer: Problems | undefined;
  #failure: string | undefined;
  #version = -1;
  #readAt = 0;
  #isReading = false;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
  }

  view({ namespace }: State): Html {
    this.#read();
    if (this.#failure !== undefined) return html`<p class="bad" role="alert">${this.#failure}</p>`;
    if (this.#answer === undefined) return html`<p class="quiet">reading</p>`;
    const { problems, leases, services, notes } = this.#answer;
    const shown = problems.filter((problem) => namespace === '' || problem.namespace === namespace);
    return html`<div class="problems">
      ${notes.map(({ summary, advice }) => html`<section class="problem grave">${sign(StatusColor.Failing)}<div><p><b>${summary}</b></p><p class="advice">${advice}</p></div></section>`)}
      ${shown.length === 0 && notes.length === 0 ? html`<p class="well">${sign(StatusColor.Available)} Nothing is wrong, and nothing waits.</p>` : ''}
      ${shown.map((problem) => this.#problem(problem))}
      <div class="columns">
        <section>
          <h2>Services that answered badly in the last minutes</h2>
          ${
            services.length === 0
              ? html`<p class="quiet">none</p>`
              : html`<table><thead><tr><th scope="col">Service</th><th scope="col">Failed</th><th scope="col">Last</th></tr></thead>
                <tbody>${services.map(({ service, failed, calls, last, at }) => html`<tr><th scope="row">${service}</th><td>${failed} of ${calls}</td><td>${last}, ${clock(at, { fraction: false })}</td></tr>`)}</tbody></table>`
          }
        </section>
        <section>
          <h2>Who holds the leases</h2>
          ${leases.length === 0 ? html`<p class="quiet">nobody: no process hosts actors</p>` : html`<table><thead><tr><th scope="col">Process</th><th scope="col">Leases</th></tr></thead><tbody>${holdersOf(leases)}</tbody></table>`}
        </section>
      </div>
    </div>`;
  }

  #problem({ summary, advice, key, namespace, waiting, weight }: Problem): Html {
    const { model, change } = this.#deps;
    const choose = (chosen: string): void => change({ chosen, panel: 'why' });
    return html`<section class="problem ${weight >= GRAVE ? 'grave' : ''}">
      ${sign(weight >= GRAVE ? StatusColor.Failed : StatusColor.Waiting)}
      <div>
        <p><b><bdi>${summary}</bdi></b> <span class="dim">${namespace}</span></p>
        <p class="advice">${advice}</p>
        <p class="who">
          ${key === '' ? '' : objectLink(model, key, choose)}
          ${
            waiting.length === 0
              ? ''
              : html`<span class="dim">${counted(waiting.length, 'object')} wait${waiting.length === 1 ? 's' : ''} for it:</span>
              ${waiting.slice(0, NAMED).map((each) => html`${objectLink(model, each, choose)} `)}${waiting.length > NAMED ? `and ${waiting.length - NAMED} more` : ''}`
          }
        </p>
      </div>
    </section>`;
  }

  #read(): void {
    const { model, onUpdate } = this.#deps;
    const isNew = model.version !== this.#version;
    if (this.#isReading || (this.#answer !== undefined && !isNew)) return;
    const wait = this.#readAt + AGAIN_MS - Date.now();
    if (wait > 0) {
      setTimeout(onUpdate, wait);
      return;
    }
    this.#isReading = true;
    this.#version = model.version;
    this.#readAt = Date.now();
    server
      .problems()
      .then(
        (answer) => {
          this.#answer = answer;
          this.#failure = undefined;
        },
        (error: Error) => {
          this.#failure = error.message;
        },
      )
      .finally(() => {
        this.#isReading = false;
        onUpdate();
      });
  }
}

function holdersOf(leases: Problems['leases']): readonly Html[] {
  const held = new Map<string, string[]>();
  for (const { name, holder } of leases) held.set(holder, [...(held.get(holder) ?? []), name]);
  return [...held].map(
    ([holder, names]) =>
      html`<tr><th scope="row">${holder}</th><td>${counted(names.length, 'lease')} <span class="dim">${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}</span></td></tr>`,
  );
}
