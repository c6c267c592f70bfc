// Properties of an Image about its content, and about the machines that are made from it.
import type { Json } from '../../../bus/bus.ts';
import { boolean, type Infer, immutable, integer, object, required, string } from '../../api/contract/contract.ts';

const BUSES = ['scsi', 'virtio', 'uml', 'xen', 'ide', 'usb', 'lxc'] as const;

const download = object('download says where the content is fetched from.', {
  url: required(
    string('url of the content, of HTTP or HTTPS. It is part of the object: no password belongs into it.', {
      format: 'uri',
      maxLength: 2048,
    }),
  ),
  decompress: string(
    'decompress is how the file is compressed that is fetched; its content is what is stored. Glance cannot fetch it itself then.',
    { enum: ['xz', 'gz', 'bz2'] },
  ),
  hash: immutable(
    object('hash is what the checksum of the file must be, as it is fetched. Glance cannot fetch it itself then.', {
      algorithm: required(
        string('algorithm is what the checksum is made with.', { enum: ['md5', 'sha1', 'sha256', 'sha512'] }),
      ),
      value: required(
        string('value is the checksum, in hexadecimal digits of lower case.', {
          minLength: 1,
          maxLength: 1024,
          pattern: '^[0-9a-f]+$',
        }),
      ),
    }),
  ),
});

export const content = object('content is what the image holds.', {
  containerFormat: string('containerFormat is what the disk is packed in; `bare`, which is nothing, unless stated.', {
    enum: ['ami', 'ari', 'aki', 'bare', 'ovf', 'ova', 'docker', 'compressed'],
    default: 'bare',
  }),
  diskFormat: required(
    string('diskFormat is the format of the disk.', {
      enum: ['ami', 'ari', 'aki', 'vhd', 'vhdx', 'vmdk', 'raw', 'qcow2', 'vdi', 'ploop', 'iso'],
    }),
  ),
  download: required(download),
});

const hardware = object('hardware is of the virtual machines that are made from the image.', {
  cpuSockets: integer('cpuSockets is how many sockets a machine shows.', { minimum: 1 }),
  cpuCores: integer('cpuCores is how many cores each of them shows.', { minimum: 1 }),
  cpuThreads: integer('cpuThreads is how many threads each of those shows.', { minimum: 1 }),
  cpuPolicy: string('cpuPolicy is `dedicated` for processors of its own, and `shared` for those of all.', {
    enum: ['shared', 'dedicated'],
  }),
  cpuThreadPolicy: string('cpuThreadPolicy is whether dedicated processors are threads of one core.', {
    enum: ['prefer', 'isolate', 'require'],
  }),
  cdromBus: string('cdromBus is how CD drives are attached.', { enum: BUSES }),
  diskBus: string('diskBus is how disks are attached.', { enum: BUSES }),
  scsiModel: string('scsiModel is the model of the SCSI controller.', { enum: ['virtio-scsi'] }),
  vifModel: string('vifModel is the model of network interfaces.', {
    enum: ['e1000', 'e1000e', 'ne2k_pci', 'pcnet', 'rtl8139', 'virtio', 'vmxnet3'],
  }),
  rngModel: string('rngModel is the model of the source of random numbers.', { maxLength: 255 }),
  qemuGuestAgent: boolean('qemuGuestAgent is whether the QEMU guest agent runs in a machine.'),
});

const operatingSystem = object('operatingSystem is what runs in it.', {
  distro: string('distro is its name.', {
    enum: [
      'arch',
      'centos',
      'debian',
      'fedora',
      'freebsd',
      'gentoo',
      'mandrake',
      'mandriva',
      'mes',
      'msdos',
      'netbsd',
      'netware',
      'openbsd',
      'opensolaris',
      'opensuse',
      'rocky',
      'rhel',
      'sled',
      'ubuntu',
      'windows',
    ],
  }),
  version: string('version of it, as its maker counts.', { maxLength: 255 }),
});

export const properties = object('properties tell those who use the image what it is.', {
  architecture: string('architecture is that of the processors that it runs on.', {
    enum: [
      'aarch64',
      'alpha',
      'armv7l',
      'cris',
      'i686',
      'ia64',
      'lm32',
      'm68k',
      'microblaze',
      'microblazeel',
      'mips',
      'mipsel',
      'mips64',
      'mips64el',
      'openrisc',
      'parisc',
      'parisc64',
      'ppc',
      'ppc64',
      'ppcemb',
      's390',
      's390x',
      'sh4',
      'sh4eb',
      'sparc',
      'sparc64',
      'unicore32',
      'x86_64',
      'xtensa',
      'xtensaeb',
    ],
  }),
  hypervisorType: string('hypervisorType is the hypervisor that it runs on.', {
    enum: ['hyperv', 'ironic', 'lxc', 'qemu', 'uml', 'vmware', 'xen'],
  }),
  minDiskGB: integer('minDiskGB is the least disk of a machine, in gibibytes.', { minimum: 1 }),
  minMemoryMB: integer('minMemoryMB is the least memory of a machine, in mebibytes.', { minimum: 1 }),
  hardware,
  operatingSystem,
});

type Properties = Infer<typeof properties>;
type Hardware = Infer<typeof hardware>;

/** A property of hardware; Glance takes texts. */
function ofHardware(name: keyof Hardware): (given: Properties) => Json | undefined {
  return ({ hardware: given }) => {
    const value = given?.[name];
    // As Nova's documentation spells it.
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    return value === undefined ? undefined : String(value);
  };
}

/** Glance's name of each. The two that are numbers are Glance's own attributes. */
export const propertyAttributes = {
  architecture: ({ architecture }: Properties) => architecture,
  hypervisor_type: ({ hypervisorType }: Properties) => hypervisorType,
  min_disk: ({ minDiskGB }: Properties) => minDiskGB,
  min_ram: ({ minMemoryMB }: Properties) => minMemoryMB,
  os_distro: ({ operatingSystem: given }: Properties) => given?.distro,
  os_version: ({ operatingSystem: given }: Properties) => given?.version,
  hw_cdrom_bus: ofHardware('cdromBus'),
  hw_cpu_cores: ofHardware('cpuCores'),
  hw_cpu_policy: ofHardware('cpuPolicy'),
  hw_cpu_sockets: ofHardware('cpuSockets'),
  hw_cpu_thread_policy: ofHardware('cpuThreadPolicy'),
  hw_cpu_threads: ofHardware('cpuThreads'),
  hw_disk_bus: ofHardware('diskBus'),
  hw_qemu_guest_agent: ofHardware('qemuGuestAgent'),
  hw_rng_model: ofHardware('rngModel'),
  hw_scsi_model: ofHardware('scsiModel'),
  hw_vif_model: ofHardware('vifModel'),
};
