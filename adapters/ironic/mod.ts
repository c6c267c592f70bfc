// Exports of the bare-metal adapter; and its decisions, each a function of plain data, for comparison with other
// implementations.
export { type Access, metal3, metal3Over } from './adapter.ts';
export { admit } from './api/admission/admit.ts';
export { answerAdmissionReview } from './api/admission/review.ts';
export { convertObject } from './api/conversion/convert.ts';
export { convertManifests } from './api/conversion/manifests.ts';
export { restoredStatus } from './api/conversion/restored-status.ts';
export { type DefinitionsOptions, definitions } from './api/definitions.ts';
export { GROUP } from './api/types.ts';
export { isBusy } from './client/capacity.ts';
export { architectureOf } from './host/architecture.ts';
export { biosStep, isSettingChanged } from './host/bios-settings.ts';
export { parseBmcAddress } from './host/bmc-address.ts';
export { instanceCapabilities, nodeCapabilities } from './host/boot-mode.ts';
export { cleanSteps, isUnprepared, serviceSteps } from './host/clean-steps.ts';
export { configDrive, configDriveSecrets, networkDataIn } from './host/config-drive.ts';
export { bmcAccess } from './host/credentials.ts';
export { deploySettings, urlFor } from './host/deploy-settings.ts';
export { didAddressChange, driverInfo } from './host/driver-info.ts';
export { DRIVERS, driverOf, inspectInterfaceOf } from './host/drivers.ts';
export { createSubscription } from './host/event-subscription.ts';
export { firmwareChange, servicedOnReboot } from './host/firmware-change.ts';
export { firmwareComponents, firmwareComponentsStatus, firmwareStep } from './host/firmware-components.ts';
export { biosSettings, firmwareSchemaName, firmwareSchemaSpec, settingProblem } from './host/firmware-schema.ts';
export { firmwareSettingsStatus, settingsProblems } from './host/firmware-settings.ts';
export { hardwareDetails } from './host/hardware-details.ts';
export { hintsOfProfile, isKnownProfile, profileNameOf } from './host/hardware-profiles.ts';
export { candidateHosts, chooseHost, hostClaimConditions, hostClaimStep } from './host/host-claim.ts';
export { claimableNamespaces, isNamespaceAccepted } from './host/host-deploy-policy.ts';
export { builtImage, configuredImage } from './host/image-builder.ts';
export { imageProblems, imageUrlProblem } from './host/image-rules.ts';
export { deployInterface, deploySteps, instancePatch, isSameImage } from './host/instance-info.ts';
export { patchOf } from './host/node-patch.ts';
export {
  imageStateOf,
  needsPreprovisioningImage,
  preprovisioningImageSpec,
  ramdiskDecision,
  requestsPreprovisioningImage,
} from './host/preprovisioning.ts';
export { logicalDisks, raidCleanSteps, raidInterface, raidPlan, wantedRaid } from './host/raid.ts';
export { registryCredentials } from './host/registry-credentials.ts';
export { effectiveHints, rootDeviceHints } from './host/root-device-hints.ts';
export { switchConfigs } from './host/switch-configs.ts';
export type { IronicOptions } from './options.ts';
export { REALM, ROLE } from './serving.ts';
export { adopt } from './steps/adoption.ts';
export { deprovision } from './steps/deprovisioning.ts';
export { enrolmentRequest, updateRequest } from './steps/enrollment.ts';
export { gathered } from './steps/facts.ts';
export { inspect } from './steps/inspection.ts';
export { lookUp, lookUpOwn, lookUpToRemove } from './steps/lookup.ts';
export { powerOff, powerOffBeforeDelete, powerOn } from './steps/power.ts';
export { prepare } from './steps/preparation.ts';
export { provision } from './steps/provisioning.ts';
export { register } from './steps/registration.ts';
export { remove } from './steps/removal.ts';
export { service } from './steps/servicing.ts';
export { verdictOn } from './steps/step.ts';
