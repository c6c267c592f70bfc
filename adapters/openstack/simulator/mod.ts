// The simulated cloud as other rooms see it.
export type { SimulatedService } from './exchange.ts';
export type { Fault, Faults, InjectedFault } from './faults.ts';
export { type Drift, type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
export { CollectionName } from './store.ts';
