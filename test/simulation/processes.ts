// The processes of a history, and what befalls them and what they share.
import type { Logger } from 'pino';
import { type MemoryBroker, type TraceEvent, toErrorData } from '../../bus/mod.ts';
import type { Chronicle } from './chronicle.ts';
import type { Cluster } from './cluster.ts';
import { Faults } from './faults.ts';
import type { MailOrder } from './mail-order.ts';
import type { Misfortune } from './misfortunes.ts';
import type { Environment, Plan } from './model.ts';
import { Pod } from './pod.ts';
import type { RepeatedWrites } from './repeated-writes.ts';
import type { SimulatedTime } from './time.ts';
import type { Weather } from './weather.ts';

export interface ProcessesDeps {
  readonly plan: Plan;
  readonly time: SimulatedTime;
  readonly cluster: Cluster;
  readonly environment: Environment;
  readonly broker: MemoryBroker;
  readonly weather: Weather;
  readonly writes: RepeatedWrites;
  readonly mailOrder: MailOrder;
  readonly chronicle: Chronicle;
  readonly log: Logger;
  /** Longest time a call to the cloud may take, in milliseconds. */
  readonly callMs: number;
  readonly onTrace: (pod: number, event: TraceEvent) => void;
  readonly onDefect: (message: string) => void;
}

export class Processes {
  readonly #deps: ProcessesDeps;
  readonly #pods: Pod[] = [];
  readonly #faults: Faults;
  #started = 0;

  constructor(deps: ProcessesDeps) {
    this.#deps = deps;
    this.#faults = new Faults(deps.time);
  }

  /** As many as the plan says, after those of the nodes if there are any. */
  startAll(): void {
    const { plan, environment } = this.#deps;
    const count = (environment.nodes?.length ?? 0) + plan.pods;
    for (let index = 0; index < count; index++) this.#start(index);
  }

  /** All end at once, and others begin. */
  restartAll(): void {
    for (const pod of this.#pods) if (pod.state !== 'ended') pod.crash();
    this.startAll();
  }

  /** Something goes wrong. */
  suffer(step: Misfortune): void {
    const { broker, chronicle, cluster, environment, time, weather } = this.#deps;
    const { what, ...how } = step;
    chronicle.note(`${JSON.stringify(step)}`, () => `misfortune: ${what} ${Object.entries(how).flat().join(' ')}`);
    const pod = 'pod' in step ? this.#pods[step.pod] : undefined;
    const end = (run: () => void): void => {
      const forMs = 'forMs' in step ? step.forMs : 0;
      weather.last(step.what, forMs);
      time.after(forMs, run);
    };
    switch (step.what) {
      case 'crash':
        pod?.crash();
        end(() => this.#restart(step.pod));
        return;
      case 'stop':
        pod?.stop();
        end(() => {
          if (this.#pods[step.pod] === pod) pod?.crash();
          this.#restart(step.pod);
        });
        return;
      case 'standStill':
        if (pod === undefined) return;
        weather.stall(pod.name, step.slowMs, step.forMs);
        this.#standStill(pod, step.slowMs, step.forMs);
        return;
      case 'stopAtRenewal': {
        const renewal = pod?.renewal();
        if (pod === undefined || renewal === undefined) return;
        const slowMs = renewal.inMs + step.afterMs;
        this.#standStill(pod, slowMs, renewal.endsInMs + step.beyondMs - slowMs);
        return;
      }
      case 'suspend':
        weather.last('standStill', step.forMs);
        pod?.suspend();
        time.after(step.forMs, () => pod?.goOn());
        return;
      case 'restoreBackup':
        cluster.restore();
        return;
      case 'fault':
        weather.last(step.what, step.forMs);
        this.#faults.begin(step.code, step.object, step.forMs);
        return;
      case 'cutBus':
        pod?.bus.cut();
        end(() => pod?.bus.heal());
        return;
      case 'stallBus':
        weather.last(step.what, step.forMs);
        if (pod !== undefined) weather.stall(pod.name, 0, step.forMs);
        return;
      case 'cutKube':
        pod?.cutKube();
        end(() => pod?.healKube());
        return;
      case 'breakWatches':
        pod?.breakWatches();
        return;
      case 'slowMail':
      case 'slowKube':
      case 'lieKube':
      case 'loseKube':
        weather.last(step.what, step.forMs);
        return;
      case 'cloudTrouble':
        weather.last(step.problem, step.forMs);
        return;
      case 'lateCreates':
        weather.lateCreates(step.forMs, step.byMs);
        return;
      case 'wipeMail':
        broker.wipeMail();
        return;
      case 'wipeLeases':
        broker.wipeLeases();
        return;
      case 'wipeAll':
        broker.wipeMail();
        broker.wipeLeases();
        return;
      case 'rollBack': {
        const snapshot = broker.snapshot();
        weather.last('rollBack', step.byMs);
        time.after(step.byMs, () => {
          // With nobody left who has seen more, and could say so, it would go unnoticed: also by one that is about to stand still.
          const isInTime = (name: string): boolean => !weather.isStalled(name) && !weather.lasts(`slow ${name}`);
          const notices = ({ name, state, bus }: Pod): boolean =>
            state === 'running' && isInTime(name) && bus.seen() > snapshot.lastSequence;
          if (!this.#pods.some(notices)) return;
          // Nobody could tell an older stream in place of a newer one from a newer one in place of an older.
          if (broker.snapshot().epochId !== snapshot.epochId) return;
          chronicle.note('rolled back', () => `the mail is as it was ${step.byMs} ms ago`);
          broker.rollBack(snapshot);
        });
        return;
      }
      case 'powerCut': {
        const snapshot = broker.snapshot();
        weather.last('powerCut', step.byMs + step.forMs);
        time.after(step.byMs, () => {
          for (const each of this.#pods) if (each.state !== 'ended') each.crash();
          broker.wipeLeases();
          if (broker.snapshot().epochId === snapshot.epochId) broker.rollBack(snapshot);
          chronicle.note('power cut', () => `the power fails, and the mailbox is as it was ${step.byMs} ms ago`);
          time.after(step.forMs, () => this.#pods.forEach((_, index) => void this.#restart(index)));
        });
        return;
      }
      case 'expireTokens':
        environment.expireTokens?.();
        return;
    }
  }

  /** After some time in which its mail is slow: what is on its way then arrives when it goes on. */
  #standStill(pod: Pod, slowMs: number, forMs: number): void {
    const { chronicle, time, weather } = this.#deps;
    weather.last(`slow ${pod.name}`, slowMs);
    weather.last('standStill', slowMs + forMs);
    time.after(slowMs, () => {
      chronicle.note(`${pod.name} stands still`, () => `${pod.name} stands still`);
      pod.standStill();
      time.after(forMs, () => {
        chronicle.note(`${pod.name} goes on`, () => `${pod.name} goes on`);
        pod.goOn();
      });
    });
  }

  #start(index: number): void {
    const { plan, time, broker, cluster, environment, weather, writes, mailOrder, chronicle, log, callMs } = this.#deps;
    const name = `pod${++this.#started}`;
    const pod = new Pod({
      name,
      seed: plan.seed * 31 + this.#started,
      time,
      broker,
      cluster,
      environment,
      node: environment.nodes?.[index],
      log: log.child({ pod: name }),
      callMs,
      adapt: this.#faults.applied,
      mailMs: () => weather.mailMs(name),
      kubeMs: () => weather.kubeMs(),
      kubeFate: () => weather.kubeFate(),
      onLost: (call) => writes.onLost(call),
      onLeaseLost: (pod) => writes.onLeaseLost(pod),
      onKube: (who, call, before, error) => {
        chronicle.note(`${who} ${call.method} ${call.path}`, () =>
          call.method === 'GET'
            ? undefined
            : `${who} asks the API server: ${call.method} ${call.path.split('?')[0]}${error === undefined ? '' : ` -> ${toErrorData(error).message}`}`,
        );
        writes.onKube(who, call, before, error);
      },
      onSent: (subject, payload) => {
        environment.judgeText?.('mail', JSON.stringify(payload));
        mailOrder.onSent(name, subject, payload);
      },
      onTrace: (event) => this.#deps.onTrace(index, event),
      onDefect: this.#deps.onDefect,
    });
    this.#pods[index] = pod;
    chronicle.note(`start ${name}`, () => `${name} starts`);
    pod.start();
  }

  #restart(index: number): void {
    const pod = this.#pods[index];
    if (pod !== undefined && pod.state !== 'ended') return;
    this.#start(index);
  }
}
