// The adapters of a process. The only file of the runtime that names one.
import type { Adapter, ConfiguredAdapter, DeclaredKind, Flag, Settings } from '../../adapters/api/adapter.ts';
import { metal3 } from '../../adapters/ironic/mod.ts';
import type { Contract } from '../../adapters/kubernetes/mod.ts';
import { REALM as MODEL_REALM } from '../../adapters/ocm/kinds/resource.ts';
import { openstack } from '../../adapters/openstack/mod.ts';
import { windows } from '../../adapters/windows/mod.ts';
import { TerminalError } from '../../bus/errors.ts';
import { RESERVED_TOKENS } from '../../bus/subjects.ts';
import { Role } from '../base/config.ts';
import type { ModelPlace } from './load-models.ts';
import { contained } from './plug-in.ts';

/** Those that come with Troupe. */
export const BUILT_IN: readonly Adapter[] = [openstack, metal3, windows];

/** Adapters of a process besides the built-in ones. */
export interface MoreAdapters {
  /** Files from the folder, or packages, comma-separated. */
  readonly adapters?: string | undefined;
  /** Directories of models, comma-separated: their classes are served as kinds. */
  readonly models?: string | undefined;
  /** File of the bindings of the models. */
  readonly bindings?: string | undefined;
  /** Writer that the gateway of the models reports for its writes; by default its callers. */
  readonly writesAs?: string | undefined;
  /** Adapters that come with Troupe, as far as they are not left out; all by default. */
  readonly builtIn?: readonly Adapter[] | undefined;
}

/** Additional adapters that the environment names. */
export function moreAdaptersIn(env: Texts): MoreAdapters {
  return {
    adapters: env['TROUPE_ADAPTERS'] || undefined,
    models: env['TROUPE_MODELS'] || undefined,
    bindings: env['TROUPE_MODEL_BINDINGS'] || undefined,
    writesAs: env['TROUPE_OCM_WRITES_AS'] || undefined,
  };
}

/**
 * All adapters of a process.
 *
 * @throws {TerminalError} one cannot be had, or two do not go together; a model or its bindings are wrong; there is none
 */
export async function adaptersOf(
  { adapters, builtIn = BUILT_IN, ...more }: MoreAdapters,
  folder: string,
): Promise<readonly Adapter[]> {
  const [names, place] = [namesIn(adapters), modelPlaceOf(more)];
  const isMore = names.length > 0 || place !== undefined;
  if (!isMore && builtIn.length === 0)
    throw new TerminalError('--only-adapters leaves no adapter: name some with --adapters');
  if (!isMore) return builtIn;
  const loaded = names.length === 0 ? [] : await (await import('./load-adapters.ts')).loadAdapters(names, folder);
  const all = [...builtIn, ...loaded];
  return place === undefined ? checkAdapters(all) : withModels(all, place, more.writesAs);
}

/** The adapters, and that of models. @throws {TerminalError} as `adaptersOf` */
export async function withModels(
  adapters: readonly Adapter[],
  place: ModelPlace,
  writesAs: string | undefined,
): Promise<readonly Adapter[]> {
  const { modelAdapterOf } = await import('./load-models.ts');
  return checkAdapters([...adapters, modelAdapterOf(place, writesAs === 'self' ? 'self' : 'caller')]);
}

/** Directories and bindings of the models; undefined if there are none. */
export function modelPlaceOf({ models, bindings }: Pick<MoreAdapters, 'models' | 'bindings'>): ModelPlace | undefined {
  const roots = namesIn(models);
  return roots.length === 0 ? undefined : { roots, bindings };
}

function namesIn(text: string | undefined): readonly string[] {
  return (text ?? '').split(',').flatMap((name) => name.trim() || []);
}

export type Texts = Readonly<Record<string, string | undefined>>;

/** First tokens of the bus's own subjects, and the realm of Secrets. */
const TAKEN_REALMS: readonly string[] = [...RESERVED_TOKENS, 'core'];

/** @throws {TerminalError} two of them are indistinguishable, or one has a name of the runtime */
export function checkAdapters(adapters: readonly Adapter[]): readonly Adapter[] {
  const realms = new Set<string>();
  const roles = new Set<string>(Object.values(Role));
  const definitions = new Set<string>();
  for (const { realm, role, contracts } of adapters) {
    for (const [what, name] of Object.entries({ realm, role })) {
      if (!/^[a-z][a-z0-9-]*$/.test(name)) {
        throw new TerminalError(`the ${what} of an adapter is lower case, with digits and dashes; got '${name}'`);
      }
    }
    if (TAKEN_REALMS.includes(realm)) throw new TerminalError(`no adapter may have the realm '${realm}'`);
    take(realms, realm, 'two adapters have the realm');
    take(roles, role, 'two parts of Troupe have the role');
    for (const { plural, group } of contracts) take(definitions, `${plural}.${group}`, 'two adapters have the kind');
  }
  return adapters;
}

function take(taken: Set<string>, name: string, problem: string): void {
  if (taken.has(name)) throw new TerminalError(`${problem} '${name}'; leave one of them out`);
  taken.add(name);
}

/** @throws {TerminalError} an option of the adapter is wrong */
export function configure(
  adapter: Adapter,
  env: Texts,
  options: Texts = {},
  purpose?: 'development',
): ConfiguredAdapter {
  const configured = adapter.configure(settingsFor(adapter, env, options, purpose));
  const { kinds, serve } = configured as Partial<typeof configured>;
  if (!Array.isArray(kinds) || typeof serve !== 'function') {
    throw new TerminalError(`adapter '${adapter.realm}': 'configure' must return 'kinds' and 'serve'`);
  }
  const isPromised = ({ group, plural }: DeclaredKind): boolean =>
    adapter.contracts.some((contract) => contract.group === group && contract.plural === plural);
  const unknown = configured.kinds.find((kind) => !isPromised(kind));
  if (unknown !== undefined) {
    throw new TerminalError(
      `adapter '${adapter.realm}' has no contract for its kind '${unknown.kind}': add it to 'contracts'`,
    );
  }
  return { ...adapter, ...(isBuiltIn(adapter) ? configured : contained(adapter.realm, configured)) };
}

/** Also of one that the demo changes, and that of models, whose code is Troupe's own. */
function isBuiltIn({ realm }: Adapter): boolean {
  return realm === MODEL_REALM || BUILT_IN.some((each) => each.realm === realm);
}

/** Reader of the adapter's options. */
export function settingsFor(
  { realm, flags }: Pick<Adapter, 'realm' | 'flags'>,
  env: Texts,
  options: Texts,
  purpose?: 'development',
): Settings {
  return { ...settingsOf(realm, flags, env, options), ...(purpose !== undefined && { purpose }) };
}

/**
 * The contracts of an adapter as the cluster is to have them: its own, unless it has options for that.
 *
 * @throws {TerminalError} an option is wrong
 */
export async function definedContracts(
  { realm, contracts, definitions, definitionFlags }: Adapter,
  env: Texts,
  options: Texts = {},
): Promise<readonly Contract[]> {
  return (await definitions?.(settingsOf(realm, definitionFlags, env, options))) ?? contracts;
}

function settingsOf(realm: string, flags: readonly Flag[] = [], env: Texts, options: Texts): Settings {
  return {
    flag(name) {
      const flag = flags.find((each) => each.name === name);
      if (flag === undefined) throw new Error(`adapter '${realm}' reads a flag that it does not declare: '${name}'`);
      const given = options[name];
      return given === undefined
        ? { name: flag.variable, value: env[flag.variable] || undefined }
        : { name: `--${name}`, value: given };
    },
    variable: (name) => env[name],
  };
}
