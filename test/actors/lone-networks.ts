// How long a network takes that has nothing to do with what else goes on.
import type { World } from '../world/world.ts';

/** Until a lone network is Available, the median of `count`, in milliseconds. Each is deleted before the next one comes. */
export async function loneMs(world: World, name: string, count: number): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const lone = `lone-${name}-${index}`;
    const beganAt = world.clock.now();
    await world.apply(world.managed('Network', lone));
    await world.available('Network', lone);
    times.push(world.clock.now() - beganAt);
    await world.delete('Network', lone);
    await world.gone('Network', lone);
  }
  return Math.round(times.sort((one, other) => one - other)[Math.floor(count / 2)] ?? 0);
}
