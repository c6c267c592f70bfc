// The simulated cloud as other rooms see it.
export { type CloudOptions, type Drift, type SimulatedCloud, simulatedCloud } from './cloud.ts';
export type { SimulatedService } from './exchange.ts';
export type { Fault, Faults, InjectedFault } from './faults.ts';
export type { ServedCall } from './server.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
export { CollectionName } from './store.ts';
