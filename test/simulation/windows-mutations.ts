// The rules of the storage of Windows machines switched off one by one: what histories of it are there to notice.
import type { Mutation } from './mutations.ts';

export const WINDOWS_MUTATIONS: readonly Mutation[] = [
  {
    name: 'win-holder',
    without: 'a disk is changed before its node says whose it is',
    matter: 'windows',
    mutants: ['disk-of-nobody'],
  },
  {
    name: 'win-life',
    without: 'what a node says of an object is taken for what it says of another one of that name',
    matter: 'windows',
    mutants: ['disk-of-that-name'],
  },
  {
    name: 'win-claims',
    without: 'a node that has lost its mail takes disks from their objects',
    matter: 'windows',
    mutants: ['node-lost-claims'],
  },
  {
    name: 'win-raw',
    without: 'a disk is partitioned before it is on record that it was raw',
    matter: 'windows',
    mutants: ['raw-unrecorded'],
  },
  {
    name: 'win-policy',
    without: 'under IfRaw what was not seen raw is formatted',
    matter: 'windows',
    mutants: ['format-any-raw'],
  },
  {
    name: 'win-seen',
    without: 'what was seen with a file system is formatted when Windows knows none there any more',
    matter: 'windows',
    mutants: ['file-system-seen-once'],
  },
  {
    name: 'win-intent',
    without: 'a format is asked for that is not on record',
    matter: 'windows',
    mutants: ['format-unrecorded'],
  },
  {
    name: 'win-unknown',
    without: 'a format of which the end is not known is asked for again',
    matter: 'windows',
    mutants: ['format-asked-again'],
  },
  {
    name: 'win-users',
    without: 'what others use is taken down',
    matter: 'windows',
    mutants: ['used-taken-down'],
  },
  {
    name: 'win-release',
    without: 'a disk stays online when its object goes',
    matter: 'windows',
    mutants: ['disk-stays-online'],
  },
  {
    name: 'win-services',
    without: 'a connection that was refused its service never hears that it is allowed',
    matter: 'windows',
    mutants: ['services-untold'],
  },
  {
    name: 'win-path',
    without: 'what is at a path already is taken for the own',
    matter: 'windows',
    mutants: ['path-taken'],
  },
  {
    name: 'win-mapping',
    without: 'a share is mapped before that is on record',
    matter: 'windows',
    mutants: ['mapping-unrecorded'],
  },
  {
    name: 'win-mount',
    without: 'a mount of which the disk is away is never taken away',
    matter: 'windows',
    mutants: ['mount-of-absent-disk'],
  },
  {
    name: 'win-secret',
    without: 'a password is told with what it was used for',
    matter: 'windows',
    mutants: ['mapping-hash-is-password'],
  },
  {
    name: 'win-found-share',
    without: 'a share that somebody else has mapped is mapped anew, and told to be the own',
    matter: 'windows',
    mutants: ['mapping-found-made', 'mapping-of-others'],
  },
  {
    name: 'win-found-session',
    without: 'a connection that somebody else has made is taken down',
    matter: 'windows',
    mutants: ['target-found-taken-down'],
  },
  {
    name: 'win-tenant-name',
    without: 'a machine is that of the elder of two tenants who name it, whoever took its name first',
    matter: 'windows',
    mutants: ['node-of-the-elder'],
  },
  {
    name: 'win-tenant-disk',
    without: 'a disk that is known by its serial number alone is given to two tenants of its machine',
    matter: 'windows',
    mutants: ['disk-by-serial-twice'],
  },
  {
    name: 'win-tenant-found',
    without: 'what another tenant has mapped or connected is used, and told to be found',
    matter: 'windows',
    mutants: ['found-of-other-namespace'],
  },
];
