// HardwareData: what an inspection found.

export interface HardwareDataSpec {
  readonly hardware?: HardwareDetails;
}

export interface HardwareDetails {
  readonly cpu?: CPU;
  readonly firmware?: Firmware;
  readonly hostname?: string;
  readonly nics?: readonly NIC[];
  readonly ramMebibytes?: number;
  readonly storage?: readonly Storage[];
  readonly systemVendor?: HardwareSystemVendor;
}

export interface CPU {
  readonly arch?: string;
  readonly clockMegahertz?: number;
  readonly count?: number;
  readonly flags?: readonly string[];
  readonly model?: string;
}

export interface Firmware {
  readonly bios?: BIOS;
}

export interface BIOS {
  readonly date?: string;
  readonly vendor?: string;
  readonly version?: string;
}

export interface NIC {
  readonly ip?: string;
  readonly lldp?: LLDP;
  readonly mac?: string;
  readonly model?: string;
  readonly name?: string;
  readonly pciAddress?: string;
  readonly pxe?: boolean;
  readonly speedGbps?: number;
  readonly vlanId?: number;
  readonly vlans?: readonly VLAN[];
}

export interface LLDP {
  readonly portID?: string;
  readonly switchID?: string;
  readonly switchSystemName?: string;
}

export interface VLAN {
  readonly id?: number;
  readonly name?: string;
}

export interface Storage {
  readonly alternateNames?: readonly string[];
  readonly hctl?: string;
  readonly model?: string;
  readonly name?: string;
  readonly rotational?: boolean;
  readonly serialNumber?: string;
  readonly sizeBytes?: number;
  readonly type?: 'HDD' | 'SSD' | 'NVME';
  readonly vendor?: string;
  readonly wwn?: string;
  readonly wwnVendorExtension?: string;
  readonly wwnWithExtension?: string;
}

export interface HardwareSystemVendor {
  readonly manufacturer?: string;
  readonly productName?: string;
  readonly serialNumber?: string;
}
