// Counters of host operations, with the metric names of the baremetal-operator.
import type { Metric } from '../api/adapter.ts';

const HOST = ['namespace', 'host'] as const;
/** Seconds; the long ones are done by the machine. */
const LONG = [30, 90, 180, 360, 720, 1440] as const;

const counter = (name: string, help: string, labels: readonly string[] = []): Metric => ({ name, help, labels });
const duration = (operation: string, help: string, buckets?: readonly number[]): Metric => ({
  name: `metal3_operation_${operation}_duration_seconds`,
  help,
  labels: HOST,
  ...(buckets !== undefined && { buckets }),
});

export const METRICS: readonly Metric[] = [
  counter('metal3_reconcile_total', 'Passes over hosts: operations on their nodes.', HOST),
  counter('metal3_reconcile_error_total', 'Passes that ended with an error of which no status tells.'),
  counter('metal3_host_error_total', 'Errors of which statuses tell, by their type.', ['error_type']),
  counter('metal3_operation_power_change_total', 'Machines that were switched on or off.', [...HOST, 'on_off']),
  counter('metal3_credentials_missing_total', 'Secrets of BMCs that were not there.'),
  counter('metal3_credentials_invalid_total', 'Addresses, or Secrets, of BMCs that nothing can be done with.'),
  counter('metal3_credentials_unhandled_error_total', 'Secrets of BMCs of which nobody could tell what is in them.'),
  counter(
    'metal3_credentials_updated_total',
    'Times that Ironic was given credentials that a host had not had before.',
  ),
  counter(
    'metal3_credentials_no_management_access_total',
    'Registrations that failed before Ironic had tried the BMC.',
  ),
  counter('metal3_host_config_data_error_total', 'Secrets for config drives that are missing or cannot be read.', [
    'host_data_type',
  ]),
  counter('metal3_delayed__provisioning_total', 'Times that a host had to wait for room before it was deployed.', HOST),
  counter(
    'metal3_delayed__deprovisioning_total',
    'Times that a host had to wait for room before it was cleared.',
    HOST,
  ),
  counter('metal3_provisioning_state_change_total', 'Changes of the provisioning state.', ['prev_state', 'new_state']),
  counter('metal3_host_registration_required_total', 'Hosts that were to be registered.'),
  counter('metal3_host_unmanaged_total', 'Hosts of which nothing says how to reach their BMC.'),
  counter('metal3_delete_without_deprovisioning_total', 'Hosts that went with what was deployed on them.'),
  counter('metal3_delete_without_powering_off_total', 'Hosts that went without being switched off.'),
  counter('metal3_delete_delayed_for_detached_total', 'Deletions that waited as their host was detached.'),
  counter('metal3_provisioner_not_ready_total', 'Passes that found an Ironic that cannot be used.'),
  counter('metal3_waiting_for_preprov_image_total', 'Passes that ended as the PreprovisioningImage was not ready.'),
  duration('register', 'How long registrations took.'),
  duration('inspect', 'How long inspections took.', LONG),
  duration('provision', 'How long deployments took.', LONG),
  duration('deprovision', 'How long it took to clear hosts.', LONG),
];
