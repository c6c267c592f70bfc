// Koffi, which calls functions of Windows. In a single executable its native part is one of the assets, and Windows loads
// libraries from files alone: it is put beside the executable, where only those can write who could replace the executable
// itself. A folder for temporary files would let other users into a service.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getRawAsset, isSea } from 'node:sea';
import { TerminalError } from '../../../../bus/errors.ts';

export type Koffi = typeof import('koffi');

/** The name of the asset. */
export const NATIVE_ASSET = 'koffi.node';

/** @throws {TerminalError} it is not installed, or cannot be put beside the executable */
export async function loadKoffi(): Promise<Koffi> {
  if (!isSea()) {
    try {
      return await import('koffi');
    } catch (error) {
      throw new TerminalError("services need the optional package 'koffi', which is not installed", { cause: error });
    }
  }
  const file = placed(new Uint8Array(getRawAsset(NATIVE_ASSET)), dirname(process.execPath));
  const module: { exports: Partial<Koffi> } = { exports: {} };
  process.dlopen(module, file);
  return module.exports as Koffi;
}

/**
 * Its name identifies its content: one of another version, which may be loaded at the moment, stays.
 *
 * @returns the path of the file
 */
export function placed(content: Uint8Array, folder: string): string {
  const sum = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const file = join(folder, `csi-proxy-${sum}.node`);
  if (existsSync(file) && readFileSync(file).equals(content)) return file;
  const begun = `${file}.${process.pid}`;
  try {
    writeFileSync(begun, content);
    renameSync(begun, file);
  } catch (error) {
    rmSync(begun, { force: true });
    const why = error instanceof Error ? error.message : String(error);
    throw new TerminalError(`a service needs '${file}', and it cannot be written: ${why}`, { cause: error });
  }
  return file;
}
