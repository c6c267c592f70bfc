// Which service has a collection, where the tests of all of them name it by its path alone.

const SERVICES: readonly (readonly [service: string, paths: RegExp])[] = [
  ['network', /^\/(networks|subnets|ports|routers|security-group|floatingips|trunks|address-scopes|quotas|nosuch)/],
  ['block-storage', /^\/(volumes|types)/],
  ['shared-file-system', /^\/share-/],
  ['image', /^\/(images|info)/],
  ['compute', /^\/(flavors|servers|os-)/],
];

export function serviceOf(path: string): string {
  return SERVICES.find(([, paths]) => paths.test(path))?.[0] ?? 'identity';
}
