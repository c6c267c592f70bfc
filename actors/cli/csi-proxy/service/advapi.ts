// The service control manager of Windows, through Koffi: the functions of advapi32.dll behind the ports of this folder.
import type { Koffi } from './koffi.ts';
import {
  type InstalledService,
  type NewService,
  type ServiceManager,
  type ServiceProcess,
  type ServiceReport,
  type ServiceState,
  WindowsCode,
  WindowsError,
} from './ports.ts';

/** Constants of Windows' headers. */
const OWN_PROCESS = 0x10;
const AUTO_START = 2;
const NORMAL_ERROR = 1;
const CONNECT = 0x1;
const CREATE_SERVICE = 0x2;
const QUERY = 0x1 | 0x4;
const CHANGE_CONFIG = 0x2;
const START = 0x10;
const STOP = 0x20;
const DELETE = 0x1_0000;
const DESCRIPTION = 1;
const FAILURE_ACTIONS = 2;
const FAILURE_ACTIONS_FLAG = 4;
const ACTION_RESTART = 1;
const UNKNOWN_LEVEL = 124;
const CONTROL_STOP = 1;
/** Number of restarts after failures; also after the last of them. */
const RESTARTS = 3;
/** Size limit of a configuration, in bytes. */
const LARGEST_CONFIG = 8_192;
/** Time without a failure after which they are counted again. */
const RESET_SECONDS = 86_400;

type Handle = unknown;

export interface Advapi {
  readonly process: ServiceProcess;
  readonly manager: ServiceManager;
}

export function advapi(koffi: Koffi): Advapi {
  const library = koffi.load('advapi32.dll');
  const lastError = koffi.load('kernel32.dll').func('__stdcall', 'GetLastError', 'uint32', []);
  const u32 = (...names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, 'uint32']));
  // All have names: Koffi gives those without the same ones, whether they are structures or functions.
  const status = koffi.struct(
    'ServiceStatus',
    u32('type', 'state', 'accepted', 'exitCode', 'specificCode', 'checkPoint', 'waitHint'),
  );
  const fullStatus = koffi.struct(
    'ServiceStatusProcess',
    u32('type', 'state', 'accepted', 'exitCode', 'specificCode', 'checkPoint', 'waitHint', 'processId', 'flags'),
  );
  const config = koffi.struct('ServiceConfig', {
    ...u32('type', 'startType', 'errorControl'),
    command: 'str16',
    group: 'str16',
    tag: 'uint32',
    dependencies: 'void *',
    account: 'str16',
    displayName: 'str16',
  });
  const action = koffi.struct('ServiceAction', u32('type', 'delayMs'));
  const description = koffi.struct('ServiceDescription', { text: 'str16' });
  const failureActions = koffi.struct('ServiceFailureActions', {
    resetSeconds: 'uint32',
    rebootMessage: 'str16',
    command: 'str16',
    count: 'uint32',
    actions: koffi.pointer(action),
  });
  const serviceMain = koffi.proto('__stdcall', 'ServiceMain', 'void', ['uint32', 'void *']);
  const handlerEx = koffi.proto('__stdcall', 'ServiceHandlerEx', 'uint32', ['uint32', 'uint32', 'void *', 'void *']);
  const entry = koffi.struct('ServiceTableEntry', { name: 'str16', main: koffi.pointer(serviceMain) });

  const func = (name: string, result: string, parameters: Parameters<typeof library.func>[3]) =>
    library.func('__stdcall', name, result, parameters);
  const startDispatcher = func('StartServiceCtrlDispatcherW', 'int32', ['void *']);
  const registerHandler = func('RegisterServiceCtrlHandlerExW', 'void *', [
    'str16',
    koffi.pointer(handlerEx),
    'void *',
  ]);
  const setStatus = func('SetServiceStatus', 'int32', ['void *', koffi.pointer(status)]);
  const openManager = func('OpenSCManagerW', 'void *', ['str16', 'str16', 'uint32']);
  const openService = func('OpenServiceW', 'void *', ['void *', 'str16', 'uint32']);
  const createService = func('CreateServiceW', 'void *', [
    ...['void *', 'str16', 'str16', 'uint32', 'uint32', 'uint32', 'uint32', 'str16', 'str16'],
    ...['void *', 'str16', 'str16', 'str16'],
  ]);
  const changeConfig = (as: Parameters<Koffi['out']>[0]) =>
    func('ChangeServiceConfig2W', 'int32', ['void *', 'uint32', koffi.pointer(as)]);
  const [setDescription, setFailureActions, setFlag] = [
    changeConfig(description),
    changeConfig(failureActions),
    changeConfig('int32'),
  ];
  const queryStatus = func('QueryServiceStatusEx', 'int32', [
    'void *',
    'int32',
    koffi.out(koffi.pointer(fullStatus)),
    'uint32',
    koffi.out(koffi.pointer('uint32')),
  ]);
  const queryConfig = func('QueryServiceConfigW', 'int32', [
    'void *',
    'void *',
    'uint32',
    koffi.out(koffi.pointer('uint32')),
  ]);
  const controlService = func('ControlService', 'int32', ['void *', 'uint32', koffi.out(koffi.pointer(status))]);
  const deleteService = func('DeleteService', 'int32', ['void *']);
  const closeHandle = func('CloseServiceHandle', 'int32', ['void *']);

  const checked = <Result>(what: string, result: Result): NonNullable<Result> => {
    if (!result) throw new WindowsError(what, lastError());
    return result;
  };
  const using = <Result>(handle: Handle, use: (handle: Handle) => Result): Result => {
    try {
      return use(handle);
    } finally {
      closeHandle(handle);
    }
  };
  const withManager = <Result>(access: number, use: (manager: Handle) => Result): Result =>
    using(checked('cannot open the service control manager', openManager(null, null, access)), use);
  const withService = <Result>(name: string, access: number, use: (service: Handle) => Result): Result =>
    withManager(CONNECT, (manager) =>
      using(checked(`cannot open service ${name}`, openService(manager, name, access)), use),
    );

  const statusOf = (name: string, service: Handle): { state: ServiceState; processId: number } => {
    const found = {} as { state: ServiceState; processId: number };
    checked(`cannot read the state of service ${name}`, queryStatus(service, 0, found, koffi.sizeof(fullStatus), [0]));
    return found;
  };

  const manager: ServiceManager = {
    create({ name, displayName, description: text, command, restartAfterMs }: NewService) {
      withManager(CONNECT | CREATE_SERVICE, (manager) => {
        const access = CHANGE_CONFIG | START | DELETE;
        const type = [OWN_PROCESS, AUTO_START, NORMAL_ERROR];
        const made = createService(manager, name, displayName, access, ...type, command, null, null, null, null, null);
        using(checked(`cannot create service ${name}`, made), (service) => {
          const what = `service ${name} was created, and its setup failed`;
          const restart = { type: ACTION_RESTART, delayMs: restartAfterMs };
          const actions = koffi.alloc(action, RESTARTS);
          try {
            koffi.encode(actions, koffi.array(action, RESTARTS), Array(RESTARTS).fill(restart));
            const failure = {
              resetSeconds: RESET_SECONDS,
              rebootMessage: null,
              command: null,
              count: RESTARTS,
              actions,
            };
            checked(what, setDescription(service, DESCRIPTION, { text }));
            checked(what, setFailureActions(service, FAILURE_ACTIONS, failure));
            // A service that reports an error and ends on its own has failed, too. Wine does not support this flag.
            const code = setFlag(service, FAILURE_ACTIONS_FLAG, [1]) ? 0 : lastError();
            if (code !== 0 && code !== UNKNOWN_LEVEL) throw new WindowsError(what, code);
          } catch (error) {
            deleteService(service);
            throw error;
          } finally {
            koffi.free(actions);
          }
        });
      });
    },
    query(name): InstalledService | undefined {
      try {
        return withService(name, QUERY, (service) => {
          const { state, processId } = statusOf(name, service);
          const buffer = Buffer.alloc(LARGEST_CONFIG);
          const read = queryConfig(service, buffer, buffer.length, [0]);
          checked(`cannot read the configuration of service ${name}`, read);
          const { command } = koffi.decode(buffer, config) as { command: string };
          return { state, processId, command };
        });
      } catch (error) {
        if (error instanceof WindowsError && error.code === WindowsCode.NoSuchService) return undefined;
        throw error;
      }
    },
    stop(name) {
      withService(name, STOP, (service) =>
        checked(`cannot stop service ${name}`, controlService(service, CONTROL_STOP, {})),
      );
    },
    remove(name) {
      withService(name, DELETE, (service) => checked(`cannot remove service ${name}`, deleteService(service)));
    },
  };

  let handle: Handle;
  let checkPoint = 0;
  const service: ServiceProcess = {
    async connect({ control }) {
      const started = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      // Windows calls both from threads of its own; Koffi has them run in this one, and lets Windows wait.
      const handler = koffi.register((code: number) => control(code), koffi.pointer(handlerEx));
      const main = koffi.register(() => {
        handle = registerHandler('', handler, null);
        if (handle) started.resolve();
        else started.reject(new WindowsError('cannot register the handler of service controls', lastError()));
      }, koffi.pointer(serviceMain));
      const table = koffi.alloc(entry, 2);
      koffi.encode(table, koffi.array(entry, 2), [
        { name: '', main },
        { name: null, main: null },
      ]);
      // Stays in a thread of its own until the service is reported as stopped.
      startDispatcher.async(table, (error: unknown, isDone: number) => {
        if (error) return started.reject(error);
        if (!isDone) started.reject(new WindowsError('no service', lastError()));
        ended.resolve();
      });
      await started.promise;
      return { ended: ended.promise };
    },
    report({ state, accepted, exitCode, specificCode, withinMs }: ServiceReport) {
      checkPoint = withinMs > 0 ? checkPoint + 1 : 0;
      const reported = { type: OWN_PROCESS, state, accepted, exitCode, specificCode, checkPoint, waitHint: withinMs };
      checked('cannot report the state of the service to Windows', setStatus(handle, reported));
    },
  };
  return { process: service, manager };
}
