// Deploying what a host is to run: its image, and what its instance finds on its config drive.
import type { HostEvent } from '../../../machines/bare-metal-host/host.ts';
import type { Outcome } from '../../../machines/bare-metal-host/outcome.ts';
import type { IronicNode } from '../client/node-answer.ts';
import { type ConfigDriveOutcome, configDrive, configDriveSecrets, HostDataType } from '../host/config-drive.ts';
import { foreignUrlProblem } from '../host/foreign-urls.ts';
import { imageProblems } from '../host/image-rules.ts';
import { deploySteps, instancePatch, isOtherImage, isSameImage } from '../host/instance-info.ts';
import { registryCredentials, registrySecretName } from '../host/registry-credentials.ts';
import type { IronicPorts } from '../serving.ts';
import { type HostReconciler, type HostRequest, hostOf } from './host-reconciler.ts';
import { type ProvisioningInput, provision } from './provisioning.ts';

export async function provisionHost(
  ports: IronicPorts,
  passes: HostReconciler,
  request: HostRequest,
): Promise<Outcome> {
  const host = hostOf(request);
  const events: HostEvent[] = [];
  const { image } = host.spec ?? {};
  const refused = await foreignUrlProblem(ports.foreign, 'images', [image?.url, image?.checksum]);
  let instanceData: ProvisioningInput['instanceData'];
  let drive: ConfigDriveOutcome | undefined;
  const ended = await passes.onNode(
    request,
    (node, { facts, memory }) =>
      provision({
        host,
        node,
        facts,
        memory,
        // mutant: foreign-image [] -> imageProblems(image)
        imageProblems: [...imageProblems(image), ...(refused === undefined ? [] : [refused])],
        isSameImage: node !== null && isSameImage(node, host.spec?.image),
        isOtherImage: node !== null && isOtherImage(node, host.spec?.image),
        instanceData,
        configDrive: drive,
        deploySteps: deploySteps(host.spec?.customDeploy),
      }),
    async (asked, node) => {
      if (asked === 'configDrive') drive = await configDriveOf(ports, request);
      else instanceData = await instanceDataOf(ports, request, node ?? {}, events);
    },
  );
  const outcome = passes.outcome(ended, request);
  const measures =
    drive?.kind === 'error'
      ? [{ name: 'metal3_host_config_data_error_total', labels: { host_data_type: drive.hostDataType } }]
      : [];
  return {
    ...outcome,
    ...(events.length > 0 && { events: [...(outcome.events ?? []), ...events] }),
    ...(measures.length > 0 && { measures: [...(outcome.measures ?? []), ...measures] }),
  };
}

async function configDriveOf({ readSecret }: IronicPorts, request: HostRequest): Promise<ConfigDriveOutcome> {
  const host = hostOf(request);
  const names = configDriveSecrets(host);
  const read = await Promise.all(
    Object.values(HostDataType).flatMap((type) => {
      const name = names[type];
      if (name === undefined) return [];
      return [
        readSecret(request.object.metadata.namespace ?? '', name).then((secret) => [type, secret?.data] as const),
      ];
    }),
  );
  return configDrive(host, Object.fromEntries(read));
}

async function instanceDataOf(
  { readSecret, options }: IronicPorts,
  request: HostRequest,
  node: IronicNode,
  events: HostEvent[],
): Promise<NonNullable<ProvisioningInput['instanceData']>> {
  const host = hostOf(request);
  const name = registrySecretName(host.spec?.image);
  const settings = options.deploy;
  if (name === undefined) return { patch: instancePatch(node, host, { settings }) };
  const secret = await readSecret(request.object.metadata.namespace ?? '', name);
  const found = registryCredentials({
    image: host.spec?.image,
    secret: secret === undefined ? undefined : { name, type: secret.type, data: secret.data },
  });
  if (found.kind === 'found') return { patch: instancePatch(node, host, { pullSecret: found.pullSecret, settings }) };
  if (found.kind === 'invalid') events.push({ reason: found.event, message: found.message, type: 'Warning' });
  return { problem: found.message };
}
