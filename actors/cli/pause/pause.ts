// `troupe pause` and `troupe resume`: nothing is done for an object meanwhile, by the annotation that its kind has for that.
import { hint } from '../../../adapters/text/nearest.ts';
import { TerminalError } from '../../../bus/mod.ts';
import { TROUPE_PAUSE } from '../../../machines/annotations.ts';
import { plain } from '../../base/printable.ts';
import { annotate, annotationsOf, type Target, withTarget } from '../annotate.ts';
import type { CommandContext } from '../command-context.ts';

/** @throws {TerminalError} there is no such object, its kind cannot be paused, or the user may not change it */
export function pause(question: CommandContext): Promise<number> {
  return withTarget('pause', question, async (target) => {
    const annotation = annotationOf(target, question);
    const before = (await annotationsOf(target))[annotation];
    if (before === undefined) await annotate(target, annotation, TROUPE_PAUSE);
    const by =
      before === undefined || before === TROUPE_PAUSE
        ? ''
        : `, by ${before === '' ? 'another client' : `'${plain(before)}'`}`;
    question.out.write(`${plain(target.label)} is paused${by}\n`);
    return 0;
  });
}

/** @throws as `pause`, and {TerminalError} it was not paused by this command */
export function resume(question: CommandContext): Promise<number> {
  return withTarget('resume', question, async (target) => {
    const annotation = annotationOf(target, question);
    const before = (await annotationsOf(target))[annotation];
    // mutant: resumes-what-others-paused if -> false
    if (before !== undefined && before !== TROUPE_PAUSE)
      throw new TerminalError(
        `${plain(target.label)} was paused by another client, as '${plain(before)}': that client must remove the annotation '${annotation}'`,
      );
    if (before !== undefined) await annotate(target, annotation, null);
    question.out.write(
      `${plain(target.label)} ${before === undefined ? 'was not paused; nothing was changed' : 'is resumed'}\n`,
    );
    return 0;
  });
}

function annotationOf({ resource }: Target, { adapters }: Pick<CommandContext, 'adapters'>): string {
  const contracts = adapters.flatMap((adapter) => adapter.contracts);
  const annotations = contracts.flatMap((each) =>
    'pauseAnnotation' in each && each.pauseAnnotation !== undefined
      ? [{ kind: each.kind, group: each.group, annotation: each.pauseAnnotation }]
      : [],
  );
  const found = annotations.find(({ kind, group }) => kind === resource.kind && group === resource.group);
  if (found !== undefined) return found.annotation;
  const able = annotations.map(({ kind }) => kind);
  throw new TerminalError(
    `a ${resource.kind} cannot be paused; ${able.length === 0 ? 'no kind can' : `${able.join(', ')} can`}${hint(resource.kind, able)}`,
  );
}
