// Models of chaos.
export { hosts } from './hosts/model.ts';
export { type Addresses, addressesIn, type ResourcesOptions, resources } from './resources/model.ts';
export { windows } from './windows/model.ts';
