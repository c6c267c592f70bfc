// Bare metal as the other rooms see it; and its decisions, each a function of plain data, for whoever holds them against what other
// implementations decide.
export { type Access, metal3, metal3Over, metal3With } from './adapter.ts';
export { admit } from './api/admission/admit.ts';
export { answerAdmissionReview } from './api/admission/review.ts';
export { convertObject } from './api/conversion/convert.ts';
export { convertManifests } from './api/conversion/manifests.ts';
export { restoredStatus } from './api/conversion/restored-status.ts';
export { type DefinitionsOptions, definitions } from './api/definitions.ts';
export { GROUP } from './api/types.ts';
export { isBusy } from './client/capacity.ts';
export { architectureOf } from './hosts/architecture.ts';
export { biosStep, isSettingChanged } from './hosts/bios-settings.ts';
export { parseBmcAddress } from './hosts/bmc-address.ts';
export { instanceCapabilities, nodeCapabilities } from './hosts/boot-mode.ts';
export { cleanSteps, isUnprepared, serviceSteps } from './hosts/clean-steps.ts';
export { configDrive, configDriveSecrets, networkDataIn } from './hosts/config-drive.ts';
export { bmcAccess } from './hosts/credentials.ts';
export { deploySettings, urlFor } from './hosts/deploy-settings.ts';
export { didAddressChange, driverInfo } from './hosts/driver-info.ts';
export { DRIVERS, driverOf, inspectInterfaceOf } from './hosts/drivers.ts';
export { createSubscription } from './hosts/event-subscription.ts';
export { firmwareChange, servicedOnReboot } from './hosts/firmware-change.ts';
export { firmwareComponents, firmwareComponentsStatus, firmwareStep } from './hosts/firmware-components.ts';
export { biosSettings, firmwareSchemaName, firmwareSchemaSpec, settingProblem } from './hosts/firmware-schema.ts';
export { firmwareSettingsStatus, settingsProblems } from './hosts/firmware-settings.ts';
export { hardwareDetails } from './hosts/hardware-details.ts';
export { hintsOfProfile, isKnownProfile, profileNameOf } from './hosts/hardware-profiles.ts';
export { candidateHosts, chooseHost, hostClaimConditions, hostClaimStep } from './hosts/host-claim.ts';
export { claimableNamespaces, isNamespaceAccepted } from './hosts/host-deploy-policy.ts';
export { builtImage, configuredImage } from './hosts/image-builder.ts';
export { imageProblems, imageUrlProblem } from './hosts/image-rules.ts';
export { deployInterface, deploySteps, instancePatch, isSameImage } from './hosts/instance-info.ts';
export { patchOf } from './hosts/node-patch.ts';
export {
  needsPreprovisioningImage,
  preprovisioningImageSpec,
  ramdiskDecision,
  requestsPreprovisioningImage,
  standingOf,
} from './hosts/preprovisioning.ts';
export { logicalDisks, raidCleanSteps, raidInterface, raidPlan, wantedRaid } from './hosts/raid.ts';
export { registryCredentials } from './hosts/registry-credentials.ts';
export { effectiveHints, rootDeviceHints } from './hosts/root-device-hints.ts';
export { switchConfigs } from './hosts/switch-configs.ts';
export { adopt } from './nodes/adoption.ts';
export { deprovision } from './nodes/deprovisioning.ts';
export { enrolmentRequest, updateRequest } from './nodes/enrolment.ts';
export { gathered } from './nodes/facts.ts';
export { inspect } from './nodes/inspection.ts';
export { lookUp, lookUpOwn, lookUpToRemove } from './nodes/lookup.ts';
export { powerOff, powerOffBeforeDelete, powerOn } from './nodes/power.ts';
export { prepare } from './nodes/preparation.ts';
export { provision } from './nodes/provisioning.ts';
export { register } from './nodes/registration.ts';
export { remove } from './nodes/removal.ts';
export { service } from './nodes/servicing.ts';
export { verdictOn } from './nodes/step.ts';
export type { IronicOptions } from './options.ts';
export { REALM, ROLE } from './serving.ts';
