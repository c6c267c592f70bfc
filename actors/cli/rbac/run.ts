// `troupe rbac` with what the command line says.
import type { CommandCall } from '../command.ts';
import { rbac } from './rbac.ts';

export function run({ adapters, config, own, out }: CommandCall): number {
  const namespaces = own.namespaced === true ? (config.namespaces ?? []) : undefined;
  return rbac({ adapters, roles: [...config.roles], namespaces, out });
}
