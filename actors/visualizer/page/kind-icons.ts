// An icon a kind and the family that it belongs to: one path each on a grid of 16, stroked, in the color of the family.

/** In the order in which a card shows them. */
export const FAMILIES = ['access', 'network', 'compute', 'storage', 'host', 'windows', 'other'] as const;
export type Family = (typeof FAMILIES)[number];

export const FAMILY_NAMES: Readonly<Record<Family, string>> = {
  access: 'Access',
  network: 'Network',
  compute: 'Compute',
  storage: 'Storage',
  host: 'Bare metal',
  windows: 'Windows',
  other: 'Other',
};

const KINDS: Readonly<Partial<Record<Family, string>>> = {
  access: 'Domain Project Role Group User RoleAssignment ApplicationCredential Service Endpoint',
  network: 'AddressScope Network Subnet Router RouterInterface SecurityGroup Port FloatingIP Trunk',
  compute: 'Image Flavor KeyPair ServerGroup Server',
  storage: 'VolumeType Volume ShareNetwork',
};
const PLACES = new Map<string, { readonly family: Family; readonly rank: number }>();
for (const [family, kinds] of Object.entries(KINDS) as [Family, string][]) {
  for (const [rank, kind] of kinds.split(' ').entries()) PLACES.set(kind, { family, rank });
}
/** Families of kinds that are not listed, by realm. */
const REALMS: Readonly<Record<string, Family>> = { metal3: 'host', windows: 'windows' };
/** Kinds of a realm that come first, the others by name. */
const FIRST = ['BareMetalHost', 'WindowsStorageNode', 'IscsiTarget', 'WindowsDisk', 'WindowsVolume', 'WindowsMount'];

/** The family of a kind, and its place in it. */
export function placeOf({ kind, key }: { readonly kind: string; readonly key: string }): {
  readonly family: Family;
  readonly rank: number;
} {
  const known = PLACES.get(kind);
  if (known !== undefined) return known;
  const family = REALMS[key.slice(0, key.indexOf('.'))] ?? 'other';
  const index = FIRST.indexOf(kind);
  return { family, rank: index < 0 ? FIRST.length : index };
}

export function familyOf(tree: { readonly kind: string; readonly key: string }): Family {
  return placeOf(tree).family;
}

/** Paths by kind. */
const ICONS: Readonly<Record<string, string>> = {
  Domain: 'M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0zM2.3 8h11.4M8 2c2.4 2 2.4 10 0 12M8 2c-2.4 2-2.4 10 0 12',
  Project: 'M2 4.2h4.2l1.5 1.9H14v6.4a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1z',
  Role: 'M4.2 6a3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0 -7.6 0zM5.6 9.2L4.2 14 8 12l3.8 2-1.4-4.8',
  Group:
    'M3.6 5.4a2.4 2.4 0 1 0 4.8 0a2.4 2.4 0 1 0 -4.8 0zM1.8 13c.2-2.4 1.8-3.7 4.2-3.7s4 1.3 4.2 3.7M10.6 3.2a2.3 2.3 0 0 1 0 4.4M11.9 9.7c1.4.5 2.2 1.6 2.3 3.3',
  User: 'M5.2 5.3a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0 -5.6 0zM2.8 13.8c.4-3 2.4-4.5 5.2-4.5s4.8 1.5 5.2 4.5',
  RoleAssignment:
    'M3.5 5.3a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0zM1.8 13c.3-2.5 1.8-3.7 4.2-3.7.9 0 1.7.2 2.3.5M9.6 11.6l1.6 1.6 3-3.4',
  ApplicationCredential:
    'M3.4 4h9.2a1.6 1.6 0 0 1 1.6 1.6v4.8a1.6 1.6 0 0 1 -1.6 1.6h-9.2a1.6 1.6 0 0 1 -1.6 -1.6v-4.8a1.6 1.6 0 0 1 1.6 -1.6zM4 8a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0zM7.2 8h4.6M10.4 8v1.4',
  Service: 'M8 1.9l5.3 3v6.2L8 14.1l-5.3-3V4.9zM6.5 8a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0z',
  Endpoint: 'M1.9 8a2.1 2.1 0 1 0 4.2 0a2.1 2.1 0 1 0 -4.2 0zM6.1 8h7.7M10.8 5l3 3-3 3',
  Network:
    'M6 3.8a2 2 0 1 0 4 0a2 2 0 1 0 -4 0zM1.9 12a2 2 0 1 0 4 0a2 2 0 1 0 -4 0zM10.1 12a2 2 0 1 0 4 0a2 2 0 1 0 -4 0zM7.1 5.6L4.8 10.2M8.9 5.6l2.3 4.6M5.9 12h4.2',
  Subnet:
    'M4.4 2.4h7.2a2 2 0 0 1 2 2v7.2a2 2 0 0 1 -2 2h-7.2a2 2 0 0 1 -2 -2v-7.2a2 2 0 0 1 2 -2zM8 2.4v11.2M2.4 8h11.2',
  AddressScope: 'M4.6 2.8H2.4v10.4h2.2M11.4 2.8h2.2v10.4h-2.2M5.6 8h.01M8 8h.01M10.4 8h.01',
  Router:
    'M1.9 8a6.1 6.1 0 1 0 12.2 0a6.1 6.1 0 1 0 -12.2 0zM8 4.3v7.4M4.3 8h7.4M6.7 5.5L8 4.2l1.3 1.3M6.7 10.5L8 11.8l1.3-1.3',
  RouterInterface: 'M1.8 8a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0zM8.6 8h5.2M13.8 5.4v5.2M3.8 8h2.8M5.2 6.6v2.8',
  SecurityGroup:
    'M3 3.2h10a1 1 0 0 1 1 1v7.6a1 1 0 0 1 -1 1h-10a1 1 0 0 1 -1 -1v-7.6a1 1 0 0 1 1 -1zM2 6.4h12M2 9.6h12M6 3.2v3.2M10.4 6.4v3.2M6 9.6v3.2',
  Port: 'M2.8 13V6h2.4V3.4h5.6V6h2.4v7zM5.6 13v-2.4M8 13v-2.4M10.4 13v-2.4',
  FloatingIP:
    'M8 14.2s4.7-4.3 4.7-7.8a4.7 4.7 0 0 0-9.4 0c0 3.5 4.7 7.8 4.7 7.8zM6.4 6.4a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0z',
  Trunk: 'M8 14V2.4M8 9.4c0-3.2-4.6-2.2-4.6-6.4M8 9.4c0-3.2 4.6-2.2 4.6-6.4',
  Image:
    'M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0zM6.4 8a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0zM8 4.3A3.7 3.7 0 0 1 11.7 8',
  Flavor:
    'M2.4 5h1.8M7.4 5h6.2M2.4 11h6.2M11.8 11h1.8M4.2 5a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0zM8.6 11a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0z',
  KeyPair: 'M2.2 11a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0 -5.6 0zM7 9l6.4-6.4M10.4 5.6l2 2M12.2 3.8l1.6 1.6',
  ServerGroup:
    'M3.3 5.6h5.8a1.4 1.4 0 0 1 1.4 1.4v5.6a1.4 1.4 0 0 1 -1.4 1.4h-5.8a1.4 1.4 0 0 1 -1.4 -1.4v-5.6a1.4 1.4 0 0 1 1.4 -1.4zM5.4 5.6V3.8A1.4 1.4 0 0 1 6.8 2.4h5.8A1.4 1.4 0 0 1 14 3.8v5.4a1.4 1.4 0 0 1-1.4 1.4h-2.1',
  Server:
    'M3.6 2.3h8.8a1.3 1.3 0 0 1 1.3 1.3v2.3a1.3 1.3 0 0 1 -1.3 1.3h-8.8a1.3 1.3 0 0 1 -1.3 -1.3v-2.3a1.3 1.3 0 0 1 1.3 -1.3zM3.6 8.8h8.8a1.3 1.3 0 0 1 1.3 1.3v2.3a1.3 1.3 0 0 1 -1.3 1.3h-8.8a1.3 1.3 0 0 1 -1.3 -1.3v-2.3a1.3 1.3 0 0 1 1.3 -1.3zM4.9 4.75h.01M4.9 11.25h.01M8.6 4.75h2.6M8.6 11.25h2.6',
  VolumeType: 'M2.8 4.2a5.2 2 0 1 0 10.4 0a5.2 2 0 1 0 -10.4 0zM2.8 4.2v7.6c0 1.1 2.3 2 5.2 2s5.2-.9 5.2-2V4.2',
  Volume:
    'M2.8 4.2a5.2 2 0 1 0 10.4 0a5.2 2 0 1 0 -10.4 0zM2.8 4.2v7.6c0 1.1 2.3 2 5.2 2s5.2-.9 5.2-2V4.2M2.8 8c0 1.1 2.3 2 5.2 2s5.2-.9 5.2-2',
  ShareNetwork:
    'M2 4h3.6L7 5.6h7v6.9a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1zM5.4 9.6h5.2M4.2 9.6a1 1 0 1 0 2 0a1 1 0 1 0 -2 0zM9.8 9.6a1 1 0 1 0 2 0a1 1 0 1 0 -2 0z',
  BareMetalHost:
    'M3.6 1.9h8.8a1.6 1.6 0 0 1 1.6 1.6v9a1.6 1.6 0 0 1 -1.6 1.6h-8.8a1.6 1.6 0 0 1 -1.6 -1.6v-9a1.6 1.6 0 0 1 1.6 -1.6zM2 6h12M2 10h12M4.6 4h.01M4.6 8h.01M4.6 12h.01M8 4h3.4M8 8h3.4M8 12h3.4',
  HostFirmwareSettings:
    'M5.2 4h5.6a1.2 1.2 0 0 1 1.2 1.2v5.6a1.2 1.2 0 0 1 -1.2 1.2h-5.6a1.2 1.2 0 0 1 -1.2 -1.2v-5.6a1.2 1.2 0 0 1 1.2 -1.2zM6.2 1.8V4M9.8 1.8V4M6.2 12v2.2M9.8 12v2.2M1.8 6.2H4M1.8 9.8H4M12 6.2h2.2M12 9.8h2.2M6.4 8h3.2',
  HostFirmwareComponents:
    'M5.2 4h5.6a1.2 1.2 0 0 1 1.2 1.2v5.6a1.2 1.2 0 0 1 -1.2 1.2h-5.6a1.2 1.2 0 0 1 -1.2 -1.2v-5.6a1.2 1.2 0 0 1 1.2 -1.2zM6.2 1.8V4M9.8 1.8V4M6.2 12v2.2M9.8 12v2.2M1.8 6.2H4M1.8 9.8H4M12 6.2h2.2M12 9.8h2.2M6.5 8a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0z',
  WindowsStorageNode:
    'M3.3 2.4h9.4a1.4 1.4 0 0 1 1.4 1.4v5.2a1.4 1.4 0 0 1 -1.4 1.4h-9.4a1.4 1.4 0 0 1 -1.4 -1.4v-5.2a1.4 1.4 0 0 1 1.4 -1.4zM8 10.4v3.2M4.6 13.6h6.8M1.9 7.6h12.2',
  IscsiTarget:
    'M2.6 8a5.4 5.4 0 1 0 10.8 0a5.4 5.4 0 1 0 -10.8 0zM6.2 8a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0 -3.6 0zM8 1v2.6M8 12.4V15M1 8h2.6M12.4 8H15',
  WindowsDisk:
    'M3.3 4.4h9.4a1.5 1.5 0 0 1 1.5 1.5v4.2a1.5 1.5 0 0 1 -1.5 1.5h-9.4a1.5 1.5 0 0 1 -1.5 -1.5v-4.2a1.5 1.5 0 0 1 1.5 -1.5zM3.8 8a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0zM9.6 8h2.2',
  WindowsVolume: 'M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0zM8 2v6l4.4 4',
  WindowsMount: 'M8 2v7.2M5.2 6.6L8 9.4l2.8-2.8M2.2 10v2.6a1 1 0 0 0 1 1h9.6a1 1 0 0 0 1-1V10',
  SmbMapping: 'M2 4h3.6L7 5.6h7v6.9a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1zM5.2 9.6h5M8.4 7.8l1.8 1.8-1.8 1.8',
};
/** Kind whose icon a family has for kinds without one. */
const OF_FAMILY: Readonly<Record<Family, string>> = {
  access: 'Project',
  network: 'Network',
  compute: 'Server',
  storage: 'Volume',
  host: 'HostFirmwareComponents',
  windows: 'WindowsDisk',
  other: 'Service',
};

export function iconOf(tree: { readonly kind: string; readonly key: string }): string {
  return ICONS[tree.kind] ?? familyIcon(familyOf(tree));
}

export function familyIcon(family: Family): string {
  return ICONS[OF_FAMILY[family]] ?? '';
}

/** Paths of what can be done, and of views. */
export const SIGNS = {
  down: 'M4 6l4 4 4-4',
  search: 'M2.4 7a4.6 4.6 0 1 0 9.2 0a4.6 4.6 0 1 0 -9.2 0zM10.4 10.4L14 14',
  x: 'M4 4l8 8M12 4l-8 8',
  copy: 'M6.9 5.4h5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1 -1.5 1.5h-5a1.5 1.5 0 0 1 -1.5 -1.5v-5a1.5 1.5 0 0 1 1.5 -1.5zM10.6 5.4V4a1.4 1.4 0 0 0-1.4-1.4H4A1.4 1.4 0 0 0 2.6 4v5.2A1.4 1.4 0 0 0 4 10.6h1.4',
  prev: 'M10 3.5L5.5 8l4.5 4.5',
  next: 'M6 3.5L10.5 8 6 12.5',
  theme: 'M2.4 8a5.6 5.6 0 1 0 11.2 0a5.6 5.6 0 1 0 -11.2 0zM8 2.4a5.6 5.6 0 0 1 0 11.2z',
  graph:
    'M1.7 8a1.9 1.9 0 1 0 3.8 0a1.9 1.9 0 1 0 -3.8 0zM10.5 3.8a1.9 1.9 0 1 0 3.8 0a1.9 1.9 0 1 0 -3.8 0zM10.5 12.2a1.9 1.9 0 1 0 3.8 0a1.9 1.9 0 1 0 -3.8 0zM5.3 7.2l5.4-2.6M5.3 8.8l5.4 2.6',
  list: 'M5.5 4H14M5.5 8H14M5.5 12H14M2.4 4h.01M2.4 8h.01M2.4 12h.01',
  map: 'M3 2h2.6a1 1 0 0 1 1 1v2.6a1 1 0 0 1 -1 1h-2.6a1 1 0 0 1 -1 -1v-2.6a1 1 0 0 1 1 -1zM10.4 2h2.6a1 1 0 0 1 1 1v2.6a1 1 0 0 1 -1 1h-2.6a1 1 0 0 1 -1 -1v-2.6a1 1 0 0 1 1 -1zM3 9.4h2.6a1 1 0 0 1 1 1v2.6a1 1 0 0 1 -1 1h-2.6a1 1 0 0 1 -1 -1v-2.6a1 1 0 0 1 1 -1zM10.4 9.4h2.6a1 1 0 0 1 1 1v2.6a1 1 0 0 1 -1 1h-2.6a1 1 0 0 1 -1 -1v-2.6a1 1 0 0 1 1 -1z',
  time: 'M2 3.5h6M4.5 8h7M8 12.5h6',
  warn: 'M8 2.2l6.2 11H1.8zM8 6.4v3M8 11.3v.1',
  mail: 'M2 4.5h9.5M9 2l2.5 2.5L9 7M14 11.5H4.5M7 9l-2.5 2.5L7 14',
  link: 'M6.8 9.2a2.7 2.7 0 0 0 3.8 0l2.2-2.2a2.7 2.7 0 1 0-3.8-3.8l-.8.8M9.2 6.8a2.7 2.7 0 0 0-3.8 0L3.2 9a2.7 2.7 0 1 0 3.8 3.8l.8-.8',
  check: 'M3.5 8.5l3 3 6-7',
  fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
} as const;
