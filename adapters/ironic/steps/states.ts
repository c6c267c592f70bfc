// The states of Ironic's nodes, and what is asked of them.

/** `provision_state`, as far as it is decided by. */
export const ProvisionState = {
  Enroll: 'enroll',
  Verifying: 'verifying',
  Manageable: 'manageable',
  Available: 'available',
  Active: 'active',
  Error: 'error',
  Inspecting: 'inspecting',
  InspectWait: 'inspect wait',
  InspectFailed: 'inspect failed',
  Cleaning: 'cleaning',
  CleanWait: 'clean wait',
  CleanFailed: 'clean failed',
  Deploying: 'deploying',
  DeployWait: 'wait call-back',
  DeployFailed: 'deploy failed',
  Deleting: 'deleting',
  Adopting: 'adopting',
  AdoptFailed: 'adopt failed',
  Servicing: 'servicing',
  ServiceWait: 'service wait',
  ServiceFailed: 'service failed',
} as const;
export type ProvisionState = (typeof ProvisionState)[keyof typeof ProvisionState];

/** `target` of a change of the provision state. */
export const Target = {
  Manage: 'manage',
  Provide: 'provide',
  Inspect: 'inspect',
  Clean: 'clean',
  Active: 'active',
  Deleted: 'deleted',
  Adopt: 'adopt',
  Abort: 'abort',
  Service: 'service',
} as const;
export type Target = (typeof Target)[keyof typeof Target];

/** `power_state`. */
export const PowerState = { On: 'power on', Off: 'power off' } as const;
export type PowerState = (typeof PowerState)[keyof typeof PowerState];

/** `target` of a change of the power state. */
export const PowerTarget = {
  On: 'power on',
  Off: 'power off',
  SoftOff: 'soft power off',
  Reboot: 'rebooting',
  SoftReboot: 'soft rebooting',
} as const;
export type PowerTarget = (typeof PowerTarget)[keyof typeof PowerTarget];

/** Whether Ironic has given up: in such a state a node stays, though it keeps the target that it was on its way to. */
export function isFailure(provisionState: string): boolean {
  return provisionState.endsWith(' failed') || provisionState === ProvisionState.Error;
}
