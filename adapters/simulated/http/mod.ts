// HTTP of the simulators of OpenStack and Ironic: a server that counts requests, and faults that a test injects.
export { type Fault, Faults, type InjectedFault } from './faults.ts';
export { CountingServer, readText, type SentReply, send } from './server.ts';
