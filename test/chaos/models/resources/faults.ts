// Faults of a cloud, of the ways there, and of the password of the pods' user.
import type { Fault as CloudFault } from '../../../../adapters/simulated/openstack/mod.ts';
import type { TcpProxy } from '../../../bus/proxy.ts';
import { callFaults, type FaultDeps, ofWay, passwordChange } from '../../faults.ts';
import type { Fault, Run } from '../../model.ts';
import { between, pick } from '../../random.ts';
import type { Cloud } from './cloud.ts';

export interface CloudFaultDeps extends FaultDeps, Pick<Run, 'passwords'> {
  cloud: Cloud;
  /** To what images are made of. */
  files: TcpProxy;
  writeSecret: () => Promise<void>;
}

/** The name of the password of the pods' user. */
export const LOGIN = 'pods';
const METHODS = ['POST', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function cloudFaults(deps: CloudFaultDeps): readonly Fault[] {
  const { cloud, files, passwords, random, report, writeSecret } = deps;
  const path = /^\/(?!auth)/;
  const change = (fault: CloudFault) => (): CloudFault => ({
    match: { method: pick(METHODS, random) ?? 'POST', path },
    ...fault,
  });
  const overload = { match: { path }, status: 503, headers: { 'retry-after': '1' } };
  const system = { name: 'the cloud', calls: 'changes', most: 8, to: ['cloud faults'] };
  return [
    ...ofWay(deps, 'the way to the cloud', cloud.way, ['cloud'], 4_000),
    ...ofWay(deps, 'the way to the files of images', files, ['files'], 4_000),
    ...callFaults<CloudFault>(deps, system, cloud.inject, [
      ['answers lost', 'makes, and does not answer,', 2, change({ dropAfterWork: true })],
      ['requests lost', 'does not hear', 2, change({ dropBeforeWork: true })],
      ['errors', 'answers 500 to', 2, change({ status: 500 })],
      ['overload', 'answers 503, later please, to', 2, () => overload],
      ['slow', 'takes long for', 2, () => change({ delayMs: between(random, 200, 1_500) })()],
    ]),
    {
      name: 'tokens expired',
      weight: 3,
      to: ['tokens'],
      async play() {
        report('chaos', 'all tokens of the cloud expire');
        await cloud.expireTokens();
      },
    },
    passwordChange(deps, {
      weight: 3,
      to: ['tokens', 'api'],
      choose: () => passwords.renew(LOGIN),
      async atLock(password) {
        report('chaos', 'the password changes at the cloud');
        await cloud.setPassword(password);
      },
      async inSecret() {
        report('chaos', 'the password changes in the Secret');
        await writeSecret();
      },
    }),
  ];
}
