// The simulated Ironic for other modules.
export type { Fault, Faults, InjectedFault } from '../http/mod.ts';
export type { Credentials } from './authentication.ts';
export { type SimulatedImage, type Times, timesDivided } from './conductor.ts';
export type { Reply } from './exchange.ts';
export { type IronicOptions, type RawRequest, type SimulatedIronic, simulatedIronic } from './ironic.ts';
export {
  type Behavior,
  Deed,
  type MachineEvent,
  type MachineOptions,
  type MachineView,
  type Power,
  type Written,
} from './machines.ts';
export type { ServedCall } from './server.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
