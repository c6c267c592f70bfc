// The client of Ironic, and its poller.
import { type Change, noticedBy } from '../change.ts';

export const IRONIC_CLIENT: readonly Change[] = [
  ...noticedBy(['capacity of Ironic'], {
    'capacity-list-too-late': 'IRONIC-CAPACITY-2: a list takes over a place that was taken after it began',
    'capacity-never-taken': 'IRONIC-CAPACITY-1: a place that was found free is not taken',
    'capacity-never-freed': 'IRONIC-CAPACITY-3: a place that nobody makes use of is never free again',
    'capacity-old-list': 'IRONIC-CAPACITY-4: an old list is good for ever',
  }),
  ...noticedBy(['poller of Ironic'], {
    'ironic-never-one': 'IRONIC-POLLER-3: nobody is ever read by himself',
    'ironic-list-paces': 'IRONIC-POLLER-4: an Ironic that does not answer is listed as often as ever',
    'ironic-slow-list': 'IRONIC-POLLER-5: a slow Ironic is listed without a pause',
  }),
  ...noticedBy(['readiness of Ironic'], {
    'ironic-feature-missing': 'I4: what needs a feature is asked of an Ironic without it',
    'ironic-break-off': 'I5: what is on its way breaks off when a password is renewed',
    'ironic-old-version': 'an Ironic that was put back is asked in its old version for ever',
    'ironic-looks-each': 'IRONIC-CACHED-FETCH-1: all who want to know look at once',
  }),
  ...noticedBy(['Ironic client'], {
    'ironic-unknown-path': 'IRONIC-ERRORS-1: a path that nobody knows is an absent node',
    'ironic-ident-elsewhere': 'IRONIC-ENDPOINTS-1: a name of a node leads elsewhere',
  }),
  ...noticedBy(['words of Ironic'], {
    'ironic-password-quoted': 'IRONIC-ERRORS-2: Ironic is quoted with the password that it was sent',
    'ironic-config-drive-told': 'IRONIC-ERRORS-2: words about a config drive are told',
  }),
  ...noticedBy(['versions of Ironic'], {
    'ironic-version-too-new': 'IRONIC-VERSIONS-1: a version is asked for that the server does not allow',
  }),
  ...noticedBy(['news of nodes'], {
    'ironic-reservation-wakes': 'a node that somebody takes for a moment wakes whoever waits for it',
  }),
  ...noticedBy(['the Ironic resource'], {
    'ironic-ready-before-spec': 'an Ironic that was ready for an older spec is used',
  }),
  ...noticedBy(['passes over nodes'], {
    'ironic-failure-is-refusal': 'a failure of Ironic is told as a fault of the node',
  }),
];
