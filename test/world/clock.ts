// The clock of tests on fakes, as adapters from outside have it too.
export { SimulatedClock, simulatedClock, standsDuring, stopClocks } from '../../actors/testing/clock.ts';
