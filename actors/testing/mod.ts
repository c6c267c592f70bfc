// `troupe/adapter/testing`: what the tests of an adapter from outside may import.
export { checkAdapter } from '../process/check-adapter.ts';
export { type SimulatedClock, simulatedClock } from './clock.ts';
export { type SimulatedSystem, type SimulateOptions, simulate } from './simulate.ts';
export { type Match, type ScriptedSystem, type SystemAnswer, type SystemRequest, scriptedSystem } from './system.ts';
export { type Manifest, openWorld, type World, type WorldOptions } from './world.ts';
