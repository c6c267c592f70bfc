// The deprecation policy: what must have happened before a member may go.
import { parseVersionName, Stability } from '../base/version-name.ts';
import { addMonths } from './dates.ts';
import { type Permitted, Severity } from './finding.ts';
import type { History, Member } from './history.ts';

/** Minimum time of a member after its announcement, by the version it is part of. */
export const POLICY: Readonly<Record<Stability, { readonly months: number; readonly releases: number }>> = {
  stable: { months: 12, releases: 3 },
  beta: { months: 9, releases: 3 },
  alpha: { months: 0, releases: 0 },
};

export interface Removal {
  readonly severity: Severity;
  /** Goes behind "removed: ". */
  readonly text: string;
  /** Missing where it may go without more ado. */
  readonly permitted?: Permitted;
}

/** Judges removals for the release that is being prepared. */
export class RemovalPolicy {
  readonly #history: History;
  readonly #today: string;

  /** @param today  the date of the release that is being prepared, `YYYY-MM-DD` */
  constructor(history: History, today: string) {
    this.#history = history;
    this.#today = today;
  }

  judge(member: Member, { isMarkedInBase }: { readonly isMarkedInBase: boolean }): Removal {
    const announcement = this.#history.announcementOf(member);
    const { stability } = parseVersionName(member.version);
    if (stability === Stability.Alpha) {
      // The base is what some release had, so a mark there is an announcement.
      if (announcement === undefined && !isMarkedInBase) {
        return { severity: Severity.Warn, text: 'an alpha may drop it, but it was never announced as deprecated' };
      }
      return { severity: Severity.Info, text: 'removal permitted: it is of an alpha, and was announced' };
    }
    const { months, releases } = POLICY[stability];
    const next = this.#history.nextNumber;
    if (announcement === undefined) {
      const permitted = { release: next + releases, date: addMonths(this.#today, months) };
      const why = isMarkedInBase
        ? 'no release of the history has its deprecation mark'
        : 'it was never announced as deprecated';
      return {
        severity: Severity.Break,
        text: `${why}; announced with the next release, ${mayGo(permitted)}`,
        permitted,
      };
    }
    const { number, release } = announcement;
    const permitted = { release: number + releases, date: addMonths(release.date, months) };
    if (next >= permitted.release && this.#today >= permitted.date) {
      return {
        severity: Severity.Info,
        text: `removal permitted since release number ${permitted.release} and ${permitted.date}`,
      };
    }
    const announced = `deprecated since ${release.name} of ${release.date}`;
    return {
      severity: Severity.Break,
      text: `${announced}, ${mayGo(permitted)}; this is number ${next}, on ${this.#today}`,
      permitted,
    };
  }
}

function mayGo({ release, date }: Permitted): string {
  return `it may go with release number ${release}, not before ${date}`;
}
