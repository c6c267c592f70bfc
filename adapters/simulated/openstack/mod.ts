// The simulated cloud for other modules.
export type { Fault, Faults, InjectedFault } from '../http/mod.ts';
export { type CloudOptions, type SimulatedCloud, simulatedCloud } from './cloud.ts';
export type { Drift } from './drift.ts';
export type { SimulatedService } from './exchange.ts';
export type { ContentSink, Fetch } from './glance-data.ts';
export type { ServedCall } from './server.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
export { CollectionName } from './store.ts';
