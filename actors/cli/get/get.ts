// `troupe get`: lists the managed objects, one per line, with state and first reason for waiting.
import { hint } from '../../../adapters/text/nearest.ts';
import { type Address, addressKey, type Clock, TerminalError } from '../../../bus/mod.ts';
import { plain } from '../../base/printable.ts';
import { ClusterReader } from '../../diagnosis/cluster-reader.ts';
import { duration, type Finding, labelOf, Standing } from '../../diagnosis/findings.ts';
import { addressesIn, type ScannedObject, scanNamespace } from '../../diagnosis/namespace-scan.ts';
import type { Registry } from '../../object/registry.ts';
import { absence, allNamed, openCluster, refuseAbsentNamespace } from '../cluster.ts';
import type { Ink } from '../colors.ts';
import { asText, type CommandContext, outputOf } from '../command-context.ts';
import { colored, table } from '../terminal-text.ts';

/** Object in JSON output. */
export interface Row {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly standing: Standing;
  /** For how long it has been so, in milliseconds. */
  readonly sinceMs?: number;
  /** Id in the external system. */
  readonly id?: string;
  readonly waitsFor: readonly string[];
  readonly reason?: string;
  readonly message?: string;
  /** RFC 3339. */
  readonly createdAt?: string;
}

/** @throws {TerminalError} what is asked makes no sense @throws as `KubeClient.call` */
export async function answer(question: CommandContext): Promise<number> {
  const { adapters, clock, names, namespace, reported, out, err, ink } = question;
  const output = outputOf(question.output, ['text', 'wide', 'json', 'yaml', 'name']);
  const columns = question.isTerminal && output === 'text' ? out.columns : undefined;
  const cluster = openCluster(question);
  try {
    const { registry, client, objects } = cluster;
    const states = statesOf(reported['state']);
    const asked = names.length === 0 ? [] : allNamed('get', { resources: registry.kinds, adapters }, names);
    const isEverywhere = reported['all-namespaces'] === true;
    const place = namespace ?? client.namespace;
    const deps = { reading: new ClusterReader({ objects, client, registry }), registry, now: clock.now() };
    if (asked.some(({ name }) => name !== undefined)) {
      const addresses = asked.map(({ resource: { realm, plural, scope }, name = '' }) => ({
        realm,
        plural,
        namespace: scope === 'Cluster' ? '' : place,
        name,
      }));
      const survey = await scanNamespace(deps, addresses);
      const found = addresses.flatMap((address) => survey.get(addressKey(address)) ?? []);
      const rows = found.filter(({ object }) => object !== undefined).map(rowOf);
      const [row] = rows;
      if (row !== undefined) {
        if (output === 'name') out.write(namesText(registry, addressesOf(found)));
        else if (output === 'json' || output === 'yaml')
          out.write(await asText(output, addresses.length === 1 ? row : { objects: rows }));
        else out.write(rowsText(rows, { output, ink, clock, columns }));
      }
      const absent = found.filter(({ object }) => object === undefined);
      for (const { finding, address } of absent) err.write(`troupe: ${absence(labelOf(finding), address.namespace)}\n`);
      return absent.length === 0 ? 0 : 1;
    }
    const all = await addressesIn(deps, isEverywhere ? undefined : place);
    const wanted = all.filter(({ realm, plural }) =>
      asked.length === 0 ? true : asked.some(({ resource }) => resource.realm === realm && resource.plural === plural),
    );
    const survey = await scanNamespace(deps, wanted);
    const shown = wanted
      .flatMap((address) => survey.get(addressKey(address)) ?? [])
      .filter(({ finding }) => states === undefined || states.includes(finding.standing));
    const rows = shown.map(rowOf);
    if (wanted.length === 0 && !isEverywhere) await refuseAbsentNamespace(client, namespace);
    if (output === 'json' || output === 'yaml') {
      out.write(await asText(output, { objects: rows }));
    } else if (rows.length > 0 && output === 'name') {
      out.write(namesText(registry, addressesOf(shown)));
    } else if (rows.length > 0 && output !== 'name') {
      out.write(rowsText(rows, { output, ink, clock, columns, isEverywhere }));
    } else {
      const where = isEverywhere ? 'any namespace' : `namespace ${place}`;
      const standing = states === undefined ? '' : ` that is ${states.join(' or ')}`;
      const kinds = asked.map(({ resource }) => resource.kind).join(' or ') || 'object';
      err.write(`no ${kinds} that troupe manages in ${where}${standing}\n`);
    }
    return 0;
  } finally {
    await cluster.close();
  }
}

/** Addresses of the objects that exist. */
function addressesOf(found: readonly ScannedObject[]): readonly Address[] {
  return found.flatMap(({ address, object }) => (object === undefined ? [] : [address]));
}

/** As `kubectl get -o name` prints them, which kubectl and troupe both read. */
function namesText({ kinds }: Pick<Registry, 'kinds'>, addresses: readonly Address[]): string {
  const groups = new Map(kinds.map(({ realm, plural, kind, group }) => [`${realm}/${plural}`, { kind, group }]));
  return addresses
    .map(({ realm, plural, name }) => {
      const { kind, group } = groups.get(`${realm}/${plural}`) ?? { kind: plural, group: '' };
      return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${plain(name)}\n`;
    })
    .join('');
}

function rowOf({ finding, object, address }: ScannedObject): Row {
  const { kind, name, standing, sinceMs, id, progressing } = finding;
  return {
    namespace: address.namespace,
    kind,
    name,
    standing,
    ...(sinceMs !== undefined && { sinceMs }),
    ...(id !== undefined && { id }),
    waitsFor: waitsFor(finding),
    ...(progressing !== undefined && { reason: progressing.reason, message: progressing.message }),
    ...(object?.metadata.creationTimestamp !== undefined && { createdAt: object.metadata.creationTimestamp }),
  };
}

/** Missing dependencies or, if it is being deleted, its holders. */
function waitsFor({ needs, heldBy = [] }: Finding): readonly string[] {
  const holders = heldBy.flatMap((hold) => hold.holders.map(labelOf));
  return [...new Set([...holders, ...needs.map(labelOf)])];
}

interface Look {
  readonly output: 'text' | 'wide';
  readonly ink: Ink;
  readonly clock: Pick<Clock, 'now'>;
  readonly isEverywhere?: boolean;
  /** Undefined: as wide as it comes. */
  readonly columns?: number | undefined;
}

function rowsText(rows: readonly Row[], { output, ink, clock, columns, isEverywhere = false }: Look): string {
  const wide = output === 'wide';
  const place = isEverywhere ? ['NAMESPACE'] : [];
  const head = [
    ...place,
    'KIND/NAME',
    'STATE',
    'ID',
    'WAITS FOR',
    'AGE',
    ...(wide ? ['FOR', 'REASON', 'MESSAGE'] : []),
  ];
  const cells = rows.map((row) => {
    const { namespace, standing, id = '', createdAt = '', sinceMs, reason = '', message = '' } = row;
    const age = Date.parse(createdAt);
    return [
      ...(isEverywhere ? [namespace] : []),
      labelOf(row),
      standing,
      id,
      firstOf(row.waitsFor),
      Number.isNaN(age) ? '' : duration(clock.now() - age),
      ...(wide ? [sinceMs === undefined ? '' : duration(sinceMs), reason, message] : []),
    ];
  });
  const state = head.indexOf('STATE');
  const paint = (text: string, row: number, column: number): string =>
    column === state ? colored(text, rows[row]?.standing ?? 'unseen', ink) : text;
  return table(head, cells, paint, columns);
}

/** @throws {TerminalError} no object can stand so */
function statesOf(given: unknown): readonly Standing[] | undefined {
  const asked = [given ?? []].flat().flatMap((text) => String(text).split(','));
  if (asked.length === 0) return undefined;
  const all = Object.values(Standing);
  return asked.map((text) => {
    const found = all.find((each) => each === text.trim());
    if (found !== undefined) return found;
    throw new TerminalError(`--state must be among ${all.join(', ')}; got '${text}'${hint(text, all)}`);
  });
}

function firstOf([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} +${others.length}`;
}
