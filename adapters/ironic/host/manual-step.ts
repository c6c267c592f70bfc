// Step of a manual cleaning or of a servicing, in Ironic's format.
import type { Json } from '../../../bus/json.ts';

/** One of `clean_steps` or `service_steps` in the body of `PUT /v1/nodes/{id}/states/provision`. */
export interface Step {
  readonly interface: string;
  readonly step: string;
  readonly args?: { readonly [name: string]: Json };
}
