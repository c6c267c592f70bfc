// Simulated time, as adapters from outside have it too.
export { ProcessClock, SimulatedTime } from '../../actors/testing/time.ts';
