// `troupe retry <kind>/<name>`: what waits between two attempts, was refused, or is as it should be, is looked at again now.
import { RETRY_ANNOTATION } from '../../../machines/annotations.ts';
import { plain } from '../../base/printable.ts';
import { argumentsFor } from '../../diagnosis/findings.ts';
import { annotate, withTarget } from '../annotate.ts';
import type { CommandContext } from '../command-context.ts';

/** @throws {TerminalError} there is no such object, or the user may not change it */
export function retry(question: CommandContext): Promise<number> {
  return withTarget('retry', question, async (target) => {
    await annotate(target, RETRY_ANNOTATION, new Date(question.clock.now()).toISOString());
    const traced = argumentsFor({ ...target, kind: target.resource.kind });
    question.out.write(`${plain(target.label)} is retried; 'troupe trace ${plain(traced)}' shows the result\n`);
    return 0;
  });
}
