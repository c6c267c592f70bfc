// A fan: one network with so many ports, which all wait for it, are ready with it, and hold it when it is deleted.
import { available, gone, warmUp } from './chain.ts';
import { type Report, spread, sum } from './figures.ts';
import { Landscape, network, port } from './landscape.ts';
import { Stage, type StageOptions } from './stage.ts';

export async function fan(options: StageOptions & { readonly count: number }): Promise<Report> {
  const { count, onProgress } = options;
  const stage = await Stage.open(options);
  try {
    await warmUp(stage, options);
    const { clock } = stage;
    const landscape = new Landscape(stage, 'bench-fan');
    await landscape.open();
    const hub = network('hub');
    const ports = Array.from({ length: count }, (_, index) => port(`fan-${index}`, 'hub'));
    await landscape.apply(ports);
    // All wait, and everybody has said so.
    await stage.quiet();

    await stage.reset();
    const cpuBefore = (await stage.actors.ask('usage')).cpuMs;
    const startedAt = clock.now();
    await landscape.apply([hub]);
    const up = await available(stage, landscape, count + 1, onProgress);
    const cpuMs = (await stage.actors.ask('usage')).cpuMs - cpuBefore;
    const answeredAt = up.lastEntered['building.creating'] ?? Number.NaN;
    const readyAt = up.firstEntered['idle.available'] ?? Number.NaN;

    await stage.reset();
    const heldAt = clock.now();
    await landscape.remove([hub]);
    await stage.quiet();
    const held = await stage.counts();

    await stage.reset();
    const releasedAt = clock.now();
    await landscape.remove(ports);
    const down = await gone(stage, landscape, onProgress);
    return {
      figures: {
        dependents: count,
        'ready.lastRequestMs': answeredAt - readyAt,
        'ready.allAvailableMs': up.lastWriteAt - startedAt,
        'ready.cpuMsPerDependent': cpuMs / count,
        ...spread('ready.messages', up.messages),
        ...spread('ready.writes', up.writes),
        'delete.heldMs': held.lastWriteAt - heldAt,
        ...spread('delete.held.messages', held.messages),
        ...spread('delete.held.writes', held.writes),
        'delete.allGoneMs': down.lastWriteAt - releasedAt,
        ...spread('delete.released.messages', down.messages),
        ...spread('delete.released.writes', down.writes),
        'delete.writesPerDependent': sum(down.writes) / count,
      },
    };
  } finally {
    await stage.close();
  }
}
