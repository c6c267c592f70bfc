// After an installation: puts Node 24 into node_modules/.bin, where npm scripts look first. npm before 11.6 does not link
// a program that several optional packages bring. Runs on whatever Node runs npm, hence JavaScript.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const { platform, arch } = process;
const packageName = `node-${platform === 'darwin' && arch === 'arm64' ? 'bin-darwin' : platform.replace('win32', 'win')}-${arch}`;
const program = `${packageName}/bin/node${platform === 'win32' ? '.exe' : ''}`;
const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));

const versionOf = (path, options = {}) =>
  spawnSync(path, ['--version'], { encoding: 'utf8', ...options }).stdout?.trim();
const version = versionOf(modules + program);
const link = `${modules}.bin/node${platform === 'win32' ? '.cmd' : ''}`;

if (!version) {
  console.log(
    `troupe: no usable ${packageName}, so npm scripts run on the PATH's node; they need Node 24, this is ${process.version}`,
  );
} else if (versionOf(link, { shell: platform === 'win32' }) !== version) {
  mkdirSync(`${modules}.bin`, { recursive: true });
  rmSync(link, { force: true });
  if (platform === 'win32') writeFileSync(link, `@"%~dp0..\\${program.replaceAll('/', '\\')}" %*\r\n`);
  else symlinkSync(`../${program}`, link);
}
