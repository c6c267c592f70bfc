// One version in both trees: C03 to C08, C17 for whole enums, C23; fields and enums have files of their own.
import {
  allEnums,
  allMessages,
  type Element,
  type Message,
  type ProtoFile,
  type Rpc,
  type Service,
} from '../protos/mod.ts';
import { compareEnums } from './compare-enums.ts';
import { compareFields } from './compare-fields.ts';
import { type Finding, Severity, worst } from './finding.ts';
import { Findings, paired, reachable, type VersionScope } from './scope.ts';

export function compareVersion(scope: VersionScope): readonly Finding[] {
  const { base, current } = scope;
  const findings = new Findings(scope);
  if (base.syntax.name !== current.syntax.name) {
    const text = `the syntax was ${base.syntax.name} and is ${current.syntax.name}`;
    findings.add('C23', Severity.Break, { path: '', at: current.syntax.at }, text);
  }
  const packages = [base, current].map((file) => file.package?.name ?? '');
  if (packages[0] !== packages[1]) {
    const at = current.package?.at ?? current.syntax.at;
    findings.add('C03', Severity.Break, { path: '', at }, `the package was '${packages[0]}' and is '${packages[1]}'`);
  }
  compareServices(scope, findings);
  const ofRequests = reachable(base, 'request');
  const ofResponses = reachable(base, 'response');
  const messages = paired(allMessages(base), allMessages(current), ({ path }) => path);
  for (const [before, after] of messages.both) {
    findings.compareMarks(before, after);
    compareFields(before, after, { ...scope, findings, isOfRequest: ofRequests.has(before.path) });
  }
  const enums = paired(allEnums(base), allEnums(current), ({ path }) => path);
  for (const [before, after] of enums.both) {
    compareEnums(before, after, { ...scope, findings, isOfResponse: ofResponses.has(before.path) });
  }
  const gone = new Gone(scope, findings, messages.gone);
  for (const message of messages.gone) gone.report('C08', message);
  for (const one of enums.gone) gone.report('C17', one);
  return findings.all;
}

function compareServices({ base, current, judge }: VersionScope, findings: Findings): void {
  const { both, gone, fresh } = paired(base.services, current.services, ({ name }) => name);
  for (const service of gone) {
    const heirs = fresh.map(({ name }) => `'${name}'`).join(' or ');
    const text = heirs === '' ? 'the service is removed' : `the service is removed; renamed to ${heirs}?`;
    findings.add('C03', Severity.Break, service, text);
  }
  for (const [before, after] of both) {
    findings.compareMarks(before, after);
    compareRpcs(before, after, { judge, findings });
  }
}

function compareRpcs(
  base: Service,
  current: Service,
  { judge, findings }: Pick<VersionScope, 'judge'> & { findings: Findings },
): void {
  const { both, gone, fresh } = paired(base.rpcs, current.rpcs, ({ name }) => name);
  for (const [before, after] of both) {
    for (const side of ['request', 'response'] as const) {
      if (before[side] !== after[side]) {
        findings.add('C06', Severity.Break, after, `its ${side} was '${before[side]}' and is '${after[side]}'`);
      }
    }
    if (streaming(before) !== streaming(after)) {
      findings.add('C07', Severity.Break, after, `it was ${streaming(before)} and is ${streaming(after)}`);
    }
    findings.compareMarks(before, after);
  }
  for (const rpc of gone) {
    const heir = fresh.find(({ request, response }) => request === rpc.request && response === rpc.response);
    const removal = judge(rpc.path);
    // Whatever else is new, an RPC whose time is over may go.
    if (heir === undefined || removal.severity === Severity.Info) findings.addRemoval('C04', rpc, removal);
    else {
      const text = `${removal.text}; renamed to '${heir.name}'?`;
      findings.addRemoval('C05', rpc, { ...removal, severity: Severity.Break, text });
    }
  }
  for (const rpc of fresh) findings.add('C20', Severity.Info, rpc, 'added');
}

function streaming({ requestStream, responseStream }: Rpc): string {
  if (requestStream && responseStream) return 'streaming both ways';
  return requestStream ? 'streaming its requests' : responseStream ? 'streaming its responses' : 'unary';
}

/** Removed messages and enums. Their users were removed or changed too, which decides the severity. */
class Gone {
  readonly #scope: VersionScope;
  readonly #findings: Findings;
  readonly #messages: ReadonlySet<string>;

  constructor(scope: VersionScope, findings: Findings, messages: readonly Message[]) {
    this.#scope = scope;
    this.#findings = findings;
    this.#messages = new Set(messages.map(({ path }) => path));
  }

  report(rule: 'C08' | 'C17', { path, at }: Element): void {
    const users = usersOf(path, this.#scope.base);
    if (users.length === 0) {
      this.#findings.addRemoval(rule, { path, at }, this.#scope.judge(path));
      return;
    }
    const severity = this.#severity(path, new Set()) ?? Severity.Info;
    const names = users.map((user) => `'${user.path}'`).join(', ');
    const text = severity === Severity.Break ? `removed, but ${names} used it` : `removed with what used it: ${names}`;
    this.#findings.add(rule, severity, { path, at }, text);
  }

  /** Worst finding about their users; undefined: only messages that use each other did. */
  #severity(path: string, asked: Set<string>): Severity | undefined {
    if (asked.has(path)) return undefined;
    asked.add(path);
    const users = usersOf(path, this.#scope.base);
    if (users.length === 0) return this.#scope.judge(path).severity;
    return worst(
      users.flatMap(({ path: user, owner }) => {
        if (this.#messages.has(owner)) return this.#severity(owner, asked) ?? [];
        const said = this.#findings.all.filter(({ element }) => element === user || element === owner);
        return said.map(({ severity }) => severity);
      }),
    );
  }
}

interface User {
  readonly path: string;
  /** The message or service it is in. */
  readonly owner: string;
}

function usersOf(path: string, file: ProtoFile): readonly User[] {
  const rpcs = file.services.flatMap(({ path: owner, rpcs }) =>
    rpcs
      .filter(({ request, response }) => request === path || response === path)
      .map((rpc) => ({ path: rpc.path, owner })),
  );
  const fields = allMessages(file).flatMap(({ path: owner, fields }) =>
    fields
      .filter(({ type }) => type.kind !== 'scalar' && type.name === path)
      .map((field) => ({ path: field.path, owner })),
  );
  return [...rpcs, ...fields];
}
