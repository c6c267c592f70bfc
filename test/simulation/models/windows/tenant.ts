// A second tenant: in a namespace of its own it has objects that name a machine of the first one, and what is on that: disks, targets,
// shares and paths. It has the keys to what is locked, and is careless with what others have.
import type { JsonObject } from '../../../../bus/mod.ts';
import type { Draw } from '../../draw.ts';
import { type Estate, type PlannedNode, SECOND, type Thing } from './estate.ts';

export interface SecondTenant extends Pick<Estate, 'things' | 'secrets'> {
  /** Objects of the first tenant that stand for the machine. */
  readonly contested: readonly Thing[];
}

/** @returns undefined: there is none */
export function secondTenantOf(
  draw: Draw,
  { nodes, things, secrets }: Pick<Estate, 'nodes' | 'things' | 'secrets'>,
): SecondTenant | undefined {
  if (!draw.chance(0.4)) return undefined;
  const node = draw.pick(nodes);
  const contested = things.filter(({ kind, spec }) => kind === 'WindowsStorageNode' && spec['nodeName'] === node.name);
  const there = things.filter(({ name }) => name.startsWith(`${node.name}-`) && !name.endsWith('-twin'));
  const stand = contested
    .filter(({ name }) => name === node.name)
    .map((thing) => ({ ...thing, namespace: SECOND, isBornElsewhere: draw.chance(0.5) }));
  return {
    things: [...stand, ...there.filter(() => draw.chance(0.85)).map((thing) => secondOf(draw, thing, node))],
    secrets: secrets
      .filter(({ opens }) => 'share' in opens || opens.node === node.name)
      .map((secret) => ({ ...secret, namespace: SECOND })),
    contested,
  };
}

/** The same of the second tenant, asked for in other words at times. */
function secondOf(draw: Draw, thing: Thing, node: PlannedNode): Thing {
  return { ...thing, namespace: SECOND, spec: specOf(draw, thing, node) };
}

function specOf(draw: Draw, { kind, spec }: Thing, { disks }: PlannedNode): JsonObject {
  switch (kind) {
    case 'SmbMapping': {
      const { credentialsSecretRef: _, ...rest } = spec;
      return draw.chance(0.4) ? rest : spec;
    }
    case 'WindowsDisk': {
      const { page83, lun } = (spec['selector'] ?? {}) as JsonObject;
      const disk = disks.find((each) => (page83 === undefined ? each.lun === lun : each.page83 === page83));
      const isOtherwise = draw.chance(0.4) && disk !== undefined;
      return { ...spec, ...(isOtherwise && { selector: { serialNumber: disk.serialNumber } }), partition: true };
    }
    case 'WindowsVolume':
      return draw.chance(0.6) ? { ...spec, formatPolicy: 'IfUnknown' } : spec;
    case 'WindowsMount': {
      const isPlain = (spec['source'] as JsonObject)['nodeRef'] !== undefined;
      return isPlain && draw.chance(0.7) ? { ...spec, deletionPolicy: 'RemoveContents' } : spec;
    }
    default:
      return spec;
  }
}
