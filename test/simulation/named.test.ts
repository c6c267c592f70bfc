// needs: nothing
// Histories in which something has gone wrong before, in the runtime or with those who judge it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { play } from './history.ts';
import type { Plan } from './model.ts';
import { HOSTS } from './models/hosts/model.ts';
import { RESOURCES } from './models/resources/model.ts';
import { WINDOWS } from './models/windows/model.ts';
import { windowsPlan } from './models/windows/plan.ts';

const test = suite('histories that went wrong');

/** What somebody else makes meanwhile looks as the object asks for. */
const asIfAlike = (plan: Plan): Plan =>
  ({ ...plan, steps: plan.steps.map((step) => ('isAlike' in step ? { ...step, isAlike: true } : step)) }) as Plan;

const NAMED = [
  { plan: RESOURCES.plan(82), about: 'mail of before comes after the API server was restored from a backup (I8)' },
  {
    plan: RESOURCES.plan(1_784),
    about: 'a domain without its guards is deleted before its project, whose create is in doubt',
  },
  {
    plan: RESOURCES.plan(1_182),
    about: 'a group is taken out of a port and put back while the port is read, and is claimed again (I9)',
  },
  {
    plan: RESOURCES.plan(2_100_538),
    about: 'a volume goes while the create of its server is in doubt, and the server is looked for (I4)',
  },
  {
    plan: RESOURCES.plan(2_152_470),
    about: 'a removal that the cloud has lost is asked for again while all else rests (I8)',
  },
  {
    plan: RESOURCES.plan(2_143_021),
    about: 'the streams are rolled back as the one process that has seen more is about to stand still (P11)',
  },
  {
    plan: RESOURCES.plan(2_140_346),
    about: 'a user without its guards is deleted before its application credential',
  },
  {
    plan: RESOURCES.plan(2_130_019),
    about: 'a trunk that was left in place is adopted again while its deleted port is removed',
  },
  {
    plan: RESOURCES.plan(2_112_660),
    about: 'a router without its guards is deleted before its interface while the namespace is deleted',
  },
  {
    plan: RESOURCES.plan(2_113_076),
    about: 'a network that recorded one of its name is deleted before its own create arrives',
  },
  {
    plan: RESOURCES.plan(1_600_445),
    about: 'a server gives up a deleted volume and takes it back before it was detached (I2)',
  },
  {
    plan: RESOURCES.plan(1_700_237),
    about: 'a subnet without its own finalizer is deleted before its interface',
  },
  {
    plan: RESOURCES.plan(1_790_094),
    about: 'a deleted network whose create came late is one of two of its name (EXTERNAL-RESOURCE-9)',
  },
  {
    plan: RESOURCES.plan(2_000_487),
    about:
      'of three networks of one name the create of one comes late, and the third does not guess (EXTERNAL-RESOURCE-9)',
  },
  {
    plan: RESOURCES.plan(700_489),
    about: 'a network of its name is found while its own create is in doubt, and arrives later',
  },
  {
    plan: RESOURCES.plan(800_567),
    about:
      'a network of its name is found when it is deleted while its create is in doubt, and stays (EXTERNAL-RESOURCE-9)',
  },
  {
    plan: asIfAlike(RESOURCES.plan(800_567)),
    about:
      'a network as it asks for is found when it is deleted while its create is in doubt, and nothing is left over (I4)',
  },
  { plan: RESOURCES.plan(702_602), about: 'a network of its name is recorded just after its own late create arrived' },
  {
    plan: RESOURCES.plan(900_129),
    about: 'an object is given a free name while it is asked whose its resource is (I9)',
  },
  {
    plan: RESOURCES.plan(900_630),
    about: 'a book whose paper is being deleted waits in its slot after the API server was restored from a backup',
  },
  {
    plan: RESOURCES.plan(910_006),
    about: 'a deleted object that was never built ends its claim, and then all mail is lost (AUDIT-6)',
  },
  {
    plan: RESOURCES.plan(1_001_374),
    about: 'a router whose guards a user removed is deleted before its interface',
  },
  {
    plan: RESOURCES.plan(1_120_050),
    about: 'a port keeps the floating IP that an object left in place, and the next object is refused another one',
  },
  {
    plan: RESOURCES.plan(1_500_051),
    about: 'a process without the bus sees that the API server was restored from a backup (I8, P11)',
  },
  {
    plan: RESOURCES.plan(1_501_751),
    about: 'one of two writers of a status has nothing to state any more, and the other has not written yet',
  },
  {
    plan: RESOURCES.plan(1_504_472),
    about: 'a claim is left of an object of which a restored backup has an earlier one (P4, P11)',
  },
  {
    plan: RESOURCES.plan(1_400_910),
    about: 'a process that stood still writes a finalizer again after it has lost its leases',
  },
  {
    plan: RESOURCES.plan(1_401_176),
    about: 'a port vanishes from the cloud and is deleted while its server, which has it no more, is there (I2)',
  },
  {
    plan: RESOURCES.plan(1_401_235),
    about: 'an object of a restored backup is written while the end of its successor is known (P11)',
  },
  {
    plan: RESOURCES.plan(1_200_137),
    about:
      'a user takes the finalizer off a network whose create is in doubt, and then all messages are lost: it made two, and says so',
  },
  {
    plan: RESOURCES.plan(1_121_676),
    about: 'a server waits for the contents of its Secret while a volume that it is to use is deleted (P1)',
  },
  {
    plan: RESOURCES.plan(1_120_363),
    about: 'a volume is given up and taken back while Nova is detaching it',
  },
  {
    plan: RESOURCES.plan(1_300_265),
    about: 'a late create makes a network for an object that detached it, beside the one of the same name',
  },
  {
    plan: RESOURCES.plan(1_701_309),
    about: 'what a book made is taken away before any watch saw it, and the book makes another (UNREPORTED-CHILDREN-1)',
  },
  {
    plan: RESOURCES.plan(2_181_320),
    about: 'a user takes the id of a network away whose deletion the cloud has lost, and another one records it (I2)',
  },
  {
    plan: RESOURCES.plan(2_183_021),
    about: 'of a book and the next one of its name only the end of the second is heard (P6, P12)',
  },
  {
    plan: RESOURCES.plan(2_202_174),
    about:
      'another client makes what an unanswered create asked for, and a user writes another id (EXTERNAL-RESOURCE-9)',
  },
  {
    plan: RESOURCES.plan(2_205_484),
    about: 'a port is replaced while no process has its shard, and its security group is deleted (P7, P12)',
  },
  {
    plan: RESOURCES.plan(2_302_212),
    about: 'a user writes the id of another network, whose subnet is made, and a port cannot be',
  },
  {
    plan: RESOURCES.plan(2_501_069),
    about: 'the cloud has lost the removal of a network with a guard that is no longer needed (I8)',
  },
  {
    plan: RESOURCES.plan(2_500_898),
    about: 'objects are deleted without a watch, and their shard is handed on before their claims have ended (P12)',
  },
  {
    plan: RESOURCES.plan(2_401_461),
    about: 'an API server that was restored from a backup answers a write, and the read after it is lost (I8, P11)',
  },
  {
    plan: RESOURCES.plan(2_602_201),
    about: 'a deleted subnet is to be left in the cloud while its child waits: the child is left, too (I4)',
  },
  { plan: HOSTS.plan(60_175), about: 'Ironic waits for a machine that does not heed a soft power off (I8)' },
  {
    plan: HOSTS.plan(1_500_240),
    about: 'the removal of a host is answered when the next one of its name has labeled its Secret (I8)',
  },
  {
    plan: HOSTS.plan(1_201_210),
    about: 'a request waits in Ironic for a held node until its sender has lost the lease (P10)',
  },
  { plan: HOSTS.plan(1_100_155), about: 'a host is judged while Ironic reboots its machine' },
  { plan: HOSTS.plan(1_703_255), about: 'a host is judged before it has tried again what it could not do (I8)' },
  { plan: HOSTS.plan(2_160_210), about: 'Ironic loses a node while its host waits for its firmware to be read (I8)' },
  {
    plan: HOSTS.plan(2_200_185),
    about: 'the vendor of a host is known after its firmware was read, and Ironic does not answer since',
  },
  { plan: HOSTS.plan(61_449), about: 'a Secret is made again after its password has changed' },
  {
    plan: WINDOWS.plan(2_140_347),
    about: 'of two mappings of one share each would map it, and the one that did is deleted first (WIN-SHARED-4)',
  },
  {
    plan: WINDOWS.plan(144),
    about: 'a look at one of several volumes fails before that at their disk has ended (unheard)',
  },
  {
    plan: { ...windowsPlan(152, { isAlone: true }), model: WINDOWS } as Plan,
    about: 'a portal is used by a connection that comes when its maker has gone (S4)',
  },
  {
    plan: WINDOWS.plan(2_182_543),
    about: 'a mount may have been made by an object whose node is not served any more (WIN-NEIGHBORS-1)',
  },
  { plan: WINDOWS.plan(83), about: "a tenant's connection is left to the other one, who has made it anew (S4)" },
  { plan: WINDOWS.plan(1_503_216), about: 'a portal goes with its maker after another one has looked at it (S4)' },
  { plan: WINDOWS.plan(132), about: 'the end of a connection fails half-way, and the other tenant connects then (S4)' },
  { plan: WINDOWS.plan(1_402_346), about: 'a mapping beside its maker records that one when it looks again (I8)' },
  {
    plan: WINDOWS.plan(1_400_003),
    about: 'the maker of a mapping waits for another one that is being deleted while a mount uses it (WIN-SHARED-4)',
  },
  { plan: WINDOWS.plan(484), about: 'of two that map a share at once the one that made it goes at once (S4)' },
  { plan: WINDOWS.plan(60_258), about: 'a disk vanishes between the last look at its volume and the format (S1)' },
  { plan: WINDOWS.plan(61_060), about: 'a deleted volume whose deleted disk is offline waits for its mount' },
  { plan: WINDOWS.plan(61_471), about: 'an object tells what is on a disk that another one has, and learns late (I8)' },
];

for (const { plan, about } of NAMED) {
  test(`seed ${plan.seed}: ${about}`, async () => {
    const { violation } = await play(plan);
    assert.is(violation, undefined, `${violation?.invariant}: ${violation?.text}`);
  });
}

test.run();
