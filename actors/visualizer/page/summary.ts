// One object in short: what is wrong and what to do, when it is tried again, what it waits for and blocks, its last calls.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Inspected, Tree } from '../wire.ts';
import { attemptsView, failuresOf } from './attempts.ts';
import { wayTo } from './causes.ts';
import { capital, headlineOf } from './headline.ts';
import { SIGNS } from './kind-icons.ts';
import type { Landscape } from './landscape.ts';
import { copyButton, icon, kindChips, objectLink, pill, sign, type ViewDeps, whyCommand } from './parts.ts';
import { clock, counted, duration } from './text.ts';
import { labelOf, rankOf, type StatusColor } from './tones.ts';

/** Limits of lists. */
const [NEEDS, CALLS, ROOTS] = [8, 4, 3] as const;

export interface SummaryDeps extends ViewDeps {
  readonly landscape: Landscape;
  readonly tree: Tree;
  /** Undefined: it is being read. */
  readonly answer: Inspected | undefined;
  readonly now: number;
  readonly at: number;
}

export function summary(deps: SummaryDeps): TemplateResult {
  const { tree, answer, model, now } = deps;
  const command = whyCommand(tree);
  const isRoot = deps.landscape.causes.blockedBy.has(tree.key);
  return html`
    ${causeView(deps, isRoot)}
    ${
      tree.attempts > 0 && tree.tone !== 'available'
        ? attemptsView(tree, failuresOf(tree, answer?.history ?? [], model.stepsOf(tree.key)), now)
        : nothing
    }
    ${wayView(deps)} ${needsView(deps, isRoot)} ${dependentsView(deps, isRoot)} ${callsView(deps)} ${factsView(deps)}
    ${
      command === undefined
        ? nothing
        : html`<section class="sec"><h3>Command</h3>
      <div class="cmd"><code class="cut">${command}</code>${copyButton(command, 'Copy command')}</div>
    </section>`
    }
  `;
}

const NEEDS_YOU = { person: 'Needs you', retrying: 'Retrying', waiting: 'Waiting' } as const;

function causeView({ tree, answer, landscape, at }: SummaryDeps, isRoot: boolean): TemplateResult | typeof nothing {
  if (tree.tone === 'available') return nothing;
  if (answer === undefined || at !== 0) {
    return tree.said === ''
      ? nothing
      : html`<section class="cause ${tree.tone}"><p class="what"><bdi>${tree.said}</bdi></p></section>`;
  }
  const [first, ...others] = answer.causes;
  if (first === undefined) {
    return tree.said === ''
      ? nothing
      : html`<section class="sec"><h3>Doing now</h3><p class="what"><bdi>${tree.said}</bdi></p></section>`;
  }
  const roots = landscape.causes.rootsOf.get(tree.key) ?? [];
  const worst = isRoot
    ? tree.tone
    : roots.map((key) => landscape.byKey.get(key)?.tone).find((tone) => tone !== undefined);
  const isRetried = tree.retryAt > 0 || first.severity === 'retrying';
  const more =
    isRoot && first.severity === 'person'
      ? isRetried
        ? ' · retried meanwhile'
        : ' · not tried again until it changes'
      : '';
  return html`<section class="cause ${worst ?? tree.tone}">
    <p class="w">${isRoot ? `${NEEDS_YOU[first.severity]}${more}` : roots.length > 1 ? 'Root causes' : 'Root cause'}</p>
    ${[first, ...others].slice(0, ROOTS).map(({ summary: said, advice }, index) => {
      const root = landscape.byKey.get(roots[index] ?? '') ?? tree;
      const { title, detail } = headlineOf(said, `${root.kind}/${root.name}`);
      return html`<p class="what"><bdi>${title}</bdi></p>${advice === '' ? nothing : html`<p><bdi>${sentence(advice)}</bdi></p>`}
        ${detail === '' ? nothing : html`<p class="told"><bdi>${detail}</bdi></p>`}`;
    })}
    ${others.length >= ROOTS ? html`<p class="dim">and ${others.length + 1 - ROOTS} more</p>` : nothing}
  </section>`;
}

export function sentence(text: string): string {
  const said = capital(text);
  return /[.!?]$/.test(said) ? said : `${said}.`;
}

function wayView({ landscape, tree, model, change, now, at }: SummaryDeps): TemplateResult | typeof nothing {
  const [root] = landscape.causes.rootsOf.get(tree.key) ?? [];
  if (root === undefined || root === tree.key) return nothing;
  const needsOf = (key: string): readonly string[] =>
    (landscape.byKey.get(key)?.needs ?? []).filter((need) => landscape.byKey.get(need)?.tone !== 'available');
  const way = wayTo(root, tree.key, needsOf);
  return html`<section class="sec"><h3>Way to the root cause</h3>
    <ol class="chain">${way.map((key, index) => {
      const each = landscape.byKey.get(key);
      const isLast = index === way.length - 1;
      const left = (each?.retryAt ?? 0) - now;
      return html`<li class="depth-${Math.min(index, 6)}">
        ${sign(each?.tone ?? 'absent')}${objectLink(model, key, (chosen) => change({ chosen }), at)}
        <span class="dim">${index === 0 ? 'this object' : model.named(key).kind}</span>
        ${isLast && left > 0 ? html`<span class="dim num end">tries again in ${duration(Math.ceil(left / 1_000) * 1_000)}</span>` : nothing}
      </li>`;
    })}</ol>
  </section>`;
}

function needsView({ landscape, tree, answer, model, change, at }: SummaryDeps, isRoot: boolean): TemplateResult {
  // Whether what has no life here is there, as a Secret, the server alone knows.
  const absent = new Set(answer?.chain.flatMap(({ key, standing }) => (standing === 'absent' ? [key] : [])));
  const toneOf = (key: string): StatusColor | 'absent' =>
    landscape.byKey.get(key)?.tone ?? (model.isOurs(key) || absent.has(key) ? 'absent' : 'available');
  const rank = (key: string): number => {
    const tone = toneOf(key);
    return tone === 'absent' ? -1 : rankOf(tone);
  };
  const needs = tree.needs.toSorted((one, other) => rank(one) - rank(other));
  const off = needs.filter((key) => toneOf(key) !== 'available').length;
  return html`<section class="sec">
    <h3>${off === 0 && needs.length > 0 ? 'Needs' : 'Waits for'} <span class="num">${needs.length === 0 ? '' : `${needs.length - off} of ${needs.length} available`}</span></h3>
    ${
      needs.length === 0
        ? html`<p>${isRoot ? 'Nothing. The cause lies here.' : 'Nothing: it depends on no other object.'}</p>`
        : html`<ul class="chain">${needs.slice(0, NEEDS).map((key) => {
            const tone = toneOf(key);
            return html`<li data-need=${key}>${tone === 'available' ? icon(SIGNS.check, 'check') : sign(tone)}${objectLink(model, key, (chosen) => change({ chosen }), at)}
              <span class="dim">${model.named(key).kind}${tone === 'absent' ? `, ${labelOf(tone).toLowerCase()}` : ''}</span></li>`;
          })}${needs.length > NEEDS ? html`<li class="dim">and ${needs.length - NEEDS} more</li>` : nothing}</ul>`
    }
  </section>`;
}

function dependentsView({ landscape, tree, model, change }: SummaryDeps, isRoot: boolean): TemplateResult {
  const trees = (keys: readonly string[]): readonly Tree[] => keys.flatMap((key) => landscape.byKey.get(key) ?? []);
  const blocked = landscape.causes.blockedBy.get(tree.key) ?? [];
  if (isRoot) {
    const shared = blocked.filter((key) => (landscape.causes.rootsOf.get(key)?.length ?? 0) > 1).length;
    return html`<section class="sec"><h3>Blocks <span class="num">${counted(blocked.length, 'object')}</span></h3>
      ${blocked.length === 0 ? html`<p>Nothing.</p>` : kindChips(trees(blocked), change)}
      ${shared === 0 ? nothing : html`<p class="dim small">${shared} of them wait for another root cause too.</p>`}
    </section>`;
  }
  const dependents = model.dependentsOf(tree.key);
  return html`<section class="sec"><h3>Needed by <span class="num">${dependents.length === 0 ? '' : counted(dependents.length, 'object')}</span></h3>
    ${dependents.length === 0 ? html`<p>Nothing.</p>` : kindChips(trees(dependents), change)}
  </section>`;
}

function callsView({ answer, change, tree }: SummaryDeps): TemplateResult | typeof nothing {
  if (answer === undefined) return nothing;
  const calls = answer.history
    .filter(({ type }) => type === 'call')
    .slice(-CALLS)
    .toReversed();
  return html`<section class="sec">
    <h3>Last calls <span>${calls.length === 0 ? nothing : html`<button type="button" class="lk accent" @click=${() => change({ panel: 'history' })}>all</button>`}</span></h3>
    ${
      calls.length === 0
        ? html`<p>None${tree.tone === 'waiting' ? ' yet: the cloud is called when what it waits for is available' : ' that are kept'}.</p>`
        : html`<table class="tb"><thead class="hidden"><tr><th scope="col">Time</th><th scope="col">Call</th><th scope="col">Status</th><th scope="col">Took</th></tr></thead>
          <tbody>${calls.map(({ at, data }) => {
            const status = data['status'];
            const isBad = typeof status !== 'number' || status >= 400;
            return html`<tr><td class="dim num">${clock(at, { fraction: false })}</td>
              <td class="call"><code title=${String(data['path'] ?? '')}>${String(data['method'] ?? '')} ${String(data['path'] ?? '')}</code></td>
              <td class="num ${isBad ? 'bad' : ''}">${typeof status === 'number' ? status : 'no answer'}</td>
              <td class="dim num">${typeof data['durationMs'] === 'number' ? duration(data['durationMs']) : ''}</td></tr>`;
          })}</tbody></table>`
    }
  </section>`;
}

function factsView({ tree, answer, now }: SummaryDeps): TemplateResult {
  const { status, spec } = (answer?.object ?? {}) as Readonly<
    Record<string, Readonly<Record<string, unknown>> | undefined>
  >;
  const conditions = Array.isArray(status?.['conditions'])
    ? (status['conditions'] as readonly Record<string, unknown>[])
    : [];
  const policy = spec?.['managementPolicy'];
  return html`<section class="sec"><h3>Facts</h3>
    <dl class="facts">
      ${conditions.length === 0 ? nothing : html`<dt>Conditions</dt><dd>${conditions.map(({ type, status: is }) => html`<span class="fact">${String(type)} <b>${String(is)}</b></span> `)}</dd>`}
      <dt>ID</dt><dd>${tree.id === '' ? html`<span class="dim">none yet</span>` : html`<code class="cut" title=${tree.id}>${tree.id}</code>${copyButton(tree.id, 'Copy ID')}`}</dd>
      ${tree.addresses.length === 0 ? nothing : html`<dt>Address</dt><dd><code>${tree.addresses.join(', ')}</code></dd>`}
      ${tree.createdAt === 0 ? nothing : html`<dt>Age</dt><dd class="num">${duration(now - tree.createdAt)}</dd>`}
      ${typeof policy === 'string' ? html`<dt>Policy</dt><dd>${policy}</dd>` : nothing}
      <dt>State</dt><dd>${pill(tree.tone)}</dd>
    </dl>
  </section>`;
}
