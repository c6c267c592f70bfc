// Known vulnerabilities of what the lock file installs, as the registry tells them: part of `npm run check`. One of high or
// critical severity fails it. A registry that knows nothing of advisories, or none that answers, is said, and fails nothing.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const LIMIT_MS = 60_000;

interface Audit {
  readonly error?: { readonly summary?: string };
  readonly message?: string;
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
}

export interface Verdict {
  readonly passed: boolean;
  readonly lines: readonly string[];
}

/** What `npm audit --json` printed, for people. */
export function judge(printed: string): Verdict {
  let audit: Audit;
  try {
    audit = JSON.parse(printed) as Audit;
  } catch {
    return { passed: true, lines: ['not audited: npm printed no report'] };
  }
  const { vulnerabilities, error, message } = audit;
  if (vulnerabilities === undefined) {
    return { passed: true, lines: [`not audited: ${error?.summary || message || 'the registry has no advisories'}`] };
  }
  const found = Object.entries(vulnerabilities);
  const lines = found.map(([name, { severity, range }]) => `${severity}: ${name} ${range}`).sort();
  const isGrave = found.some(([, { severity }]) => severity === 'high' || severity === 'critical');
  return { passed: !isGrave, lines: lines.length > 0 ? lines : ['no known vulnerability'] };
}

if (import.meta.main) {
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const { npm_execpath: npm } = process.env;
  const [program, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const { stdout } = spawnSync(program, [...args, 'audit', '--json'], { cwd, encoding: 'utf8', timeout: LIMIT_MS });
  const { passed, lines } = judge(stdout ?? '');
  for (const line of lines) process.stdout.write(`${line}\n`);
  process.exitCode = passed ? 0 : 1;
}
