// The services of the machine that this process runs on.
import { TerminalError } from '../../../../bus/errors.ts';
import { type Advapi, advapi } from './advapi.ts';
import { loadKoffi } from './koffi.ts';
import { WindowsError } from './ports.ts';
import { WindowsService } from './windows-service.ts';

/** @throws {TerminalError} this is no Windows */
export async function servicesHere(): Promise<Advapi> {
  if (process.platform !== 'win32') throw new TerminalError('services are those of Windows, and this is none');
  return advapi(await loadKoffi());
}

/**
 * Makes this process the service as which Windows started it.
 *
 * @throws {TerminalError} it was not Windows that started it
 */
export async function beginService({ drainMs }: { readonly drainMs: number }): Promise<WindowsService> {
  const { process: connected } = await servicesHere();
  try {
    const service = await WindowsService.begin({ process: connected, drainMs });
    // Windows is notified of every end; a good end was reported before.
    process.once('exit', (code) => service.reportStopped(code || 1));
    return service;
  } catch (error) {
    if (!(error instanceof WindowsError)) throw error;
    throw new TerminalError(`--windows-service: ${error.message}; 'csi-proxy.exe install' makes it one`, {
      cause: error,
    });
  }
}
