// The provision states of a node, which requests each of them allows, and what may be done to a node in them.

/** Transitions by requests that people may send; the conductor's own events are not here. */
export const TRANSITIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  enroll: { manage: 'verifying' },
  verifying: {},
  manageable: { provide: 'cleaning', clean: 'cleaning', inspect: 'inspecting', adopt: 'adopting' },
  available: { deploy: 'deploying', manage: 'manageable' },
  active: { rebuild: 'deploying', delete: 'deleting', service: 'servicing' },
  inspecting: {},
  'inspect wait': { abort: 'inspect failed' },
  'inspect failed': { manage: 'manageable', inspect: 'inspecting' },
  cleaning: { manage: 'manageable' },
  'clean wait': { abort: 'clean failed' },
  'clean failed': { manage: 'manageable' },
  deploying: {},
  'wait call-back': { abort: 'deploy failed', delete: 'deleting' },
  'deploy failed': { rebuild: 'deploying', deploy: 'deploying', delete: 'deleting' },
  deleting: {},
  error: { rebuild: 'deploying', delete: 'deleting' },
  adopting: {},
  'adopt failed': { adopt: 'adopting', manage: 'manageable' },
  servicing: {},
  'service wait': { abort: 'service failed', delete: 'deleting' },
  'service failed': { service: 'servicing', delete: 'deleting', abort: 'active' },
};

/** Events of the state machine by the words that the API takes for them. */
const VERBS: Readonly<Record<string, string>> = {
  active: 'deploy',
  deploy: 'deploy',
  deleted: 'delete',
  undeploy: 'delete',
  rebuild: 'rebuild',
  manage: 'manage',
  provide: 'provide',
  inspect: 'inspect',
  abort: 'abort',
  clean: 'clean',
  adopt: 'adopt',
  service: 'service',
};

/** Meaning of a request in a state; undefined: it is refused there. */
export function eventOf(state: string, target: string): string | undefined {
  const event = Object.hasOwn(VERBS, target) ? (VERBS[target] as string) : undefined;
  const known = Object.hasOwn(TRANSITIONS, state) ? TRANSITIONS[state] : undefined;
  return event !== undefined && known !== undefined && Object.hasOwn(known, event) ? event : undefined;
}

/** The target of a state that does not last. */
export const GOALS: Readonly<Record<string, string>> = {
  verifying: 'manageable',
  inspecting: 'manageable',
  'inspect wait': 'manageable',
  'inspect failed': 'manageable',
  cleaning: 'available',
  'clean wait': 'available',
  'clean failed': 'available',
  deploying: 'active',
  'wait call-back': 'active',
  'deploy failed': 'active',
  deleting: 'available',
  adopting: 'active',
  'adopt failed': 'active',
  servicing: 'active',
  'service wait': 'active',
  'service failed': 'active',
};

/** A node on its way may be changed in these only. */
export const CHANGEABLE: ReadonlySet<string> = new Set([
  'deploy failed',
  'inspecting',
  'inspect failed',
  'inspect wait',
  'clean failed',
  'error',
  'verifying',
  'adopt failed',
  'service failed',
]);

/** In which the interfaces of a node may be changed. */
export const INTERFACES_CHANGEABLE: readonly string[] = [
  'enroll',
  'inspecting',
  'inspect wait',
  'manageable',
  'available',
];

export const DELETABLE: readonly string[] = ['manageable', 'enroll', 'adopt failed', 'available'];

/** The state of a node in whose midst a conductor ended. */
export const FAILURES: Readonly<Record<string, string>> = {
  verifying: 'enroll',
  inspecting: 'inspect failed',
  cleaning: 'clean failed',
  deploying: 'deploy failed',
  deleting: 'error',
  adopting: 'adopt failed',
  servicing: 'service failed',
};

/** The state of a node that waits for an agent which never calls again. */
export const CUT_OFF: Readonly<Record<string, string>> = {
  'inspect wait': 'inspect failed',
  'wait call-back': 'deploy failed',
  'clean wait': 'clean failed',
  'service wait': 'service failed',
};

export function isFailure(state: string): boolean {
  return state.endsWith(' failed');
}
