// When the boot mode that the spec asks for becomes the host's own.
import { type BareMetalHost, isGiven, ProvisioningState } from './host.ts';

export const DEFAULT_BOOT_MODE = 'UEFI';

const TAKEN_IN: ReadonlySet<string> = new Set([
  ProvisioningState.Registering,
  ProvisioningState.Inspecting,
  ProvisioningState.Provisioning,
]);

export function wantedBootMode({ spec }: BareMetalHost): string {
  return isGiven(spec?.bootMode) ? spec.bootMode : DEFAULT_BOOT_MODE;
}

/** What `status.provisioning.bootMode` is to say once the state is entered; undefined: what it says already. */
export function bootModeOnEntry(host: BareMetalHost, state: string): string | undefined {
  return TAKEN_IN.has(state) ? wantedBootMode(host) : undefined;
}
