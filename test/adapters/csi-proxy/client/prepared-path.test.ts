import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { preparedPath } from '../../../../adapters/csi-proxy/client/prepared-path.ts';
import { KUBELET_PATH } from '../../../../adapters/csi-proxy/server/group-deps.ts';
import { PathRules } from '../../../../adapters/csi-proxy/server/path-rules.ts';

const test = suite('csi-proxy prepared paths');

test('paths are prepared as the original’s client does (Rule 4.6)', () => {
  for (const [given, prepared] of [
    ['\\var\\lib\\kubelet\\pods', 'c:\\var\\lib\\kubelet\\pods'],
    ['/var/lib/kubelet/pods', 'c:\\var\\lib\\kubelet\\pods'],
    ['D:/data\\a', 'D:\\data\\a'],
    ['C:\\var', 'C:\\var'],
    ['relative/a', 'relative\\a'],
    ['', ''],
  ] as const) {
    assert.is(preparedPath(given), prepared);
    assert.is(preparedPath(prepared), prepared);
  }
});

test('what kubelet hands out passes the rules of a server', () => {
  const rules = new PathRules([KUBELET_PATH]);
  rules.check(preparedPath('/var/lib/kubelet/pods/1/volumes/kubernetes.io~csi/pv/mount'));
});

test.run();
