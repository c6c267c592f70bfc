// The flags of `troupe csi-proxy serve`: those of the original, and this server's own. They are parsed by this table, and
// explained by it.
import { KUBELET_PATH } from './group-deps.ts';

export const SERVICE = 'MSiSCSI';
export const DRAIN_MS = 30_000;

/** Flags of klog about lines and headers that do not exist here. */
const IGNORED = {
  add_dir_header: { type: 'boolean', help: 'accepted; lines are JSON' },
  skip_headers: { type: 'boolean', help: 'accepted; lines are JSON' },
  skip_log_headers: { type: 'boolean', help: 'accepted; files have no headers' },
  log_backtrace_at: { type: 'string', value: 'FILE:N', help: 'accepted; it names a line of the original' },
} as const;

export const FLAGS = {
  'kubelet-path': { type: 'string', value: 'FOLDER', fallback: KUBELET_PATH, help: 'where paths may lie' },
  'working-dir': { type: 'string', value: 'FOLDER', help: 'another one; may be repeated' },
  'require-privacy': { type: 'boolean', value: '=false', fallback: 'true', help: 'SMB mappings are encrypted' },
  'windows-service': {
    type: 'boolean',
    help: 'the process is a service, and Windows started it: csi-proxy.exe install sets this',
  },
  'metrics-bind-address': { type: 'string', value: 'HOST:PORT', fallback: 'nowhere', help: 'where /metrics is' },
  v: { type: 'string', value: 'N', fallback: '0', help: 'from 4 on reads are logged, too' },
  vmodule: {
    type: 'string',
    value: 'PATTERN=N,...',
    help: 'as -v, for groups whose name fits, such as disk=4,s*=4; the first that fits counts',
  },
  logtostderr: { type: 'boolean', value: '=false', fallback: 'true', help: 'the log goes to files' },
  alsologtostderr: { type: 'boolean', help: 'what goes to files goes to standard error, too' },
  alsologtostderrthreshold: {
    type: 'string',
    value: 'SEVERITY',
    fallback: 'INFO',
    help: 'from where on, with --alsologtostderr',
  },
  stderrthreshold: {
    type: 'string',
    value: 'SEVERITY',
    fallback: 'ERROR',
    help: 'from where on lines of files are on standard error in any case: INFO, WARNING, ERROR or FATAL',
  },
  legacy_stderr_threshold_behavior: {
    type: 'boolean',
    value: '=false',
    fallback: 'true',
    help: '--stderrthreshold counts without files, too',
  },
  log_file: { type: 'string', value: 'FILE', help: 'the one file of --logtostderr=false' },
  log_dir: {
    type: 'string',
    value: 'FOLDER',
    fallback: 'the one for temporary files',
    help: 'without --log_file: a file for each severity is here',
  },
  log_file_max_size: {
    type: 'string',
    value: 'MIB',
    fallback: '1800',
    help: 'a file that would be larger is put aside, and another one begun; 0: never',
  },
  one_output: { type: 'boolean', help: 'a file of --log_dir has its own severity alone, not those above' },
  ...IGNORED,
  group: { type: 'string', value: 'NAME', fallback: 'all', help: 'what is served; may be repeated' },
  version: { type: 'string', value: 'NAME', fallback: 'all', help: 'of the group before it; may be repeated' },
  'pipe-prefix': {
    type: 'string',
    value: 'TEXT',
    help: 'what names of pipes begin with: \\\\.\\pipe\\ on Windows, /run/csi-proxy/ elsewhere',
  },
  host: {
    type: 'string',
    value: 'windows|memory',
    help: 'windows on Windows; memory: a machine that only exists in this process',
  },
  files: {
    type: 'string',
    value: 'FOLDER',
    help: 'the files of a machine in memory lie in this folder, C:\\ in FOLDER/C',
  },
  machine: {
    type: 'string',
    value: 'FILE',
    help: 'the disks, shares, iSCSI targets, services and faults of a machine in memory, as YAML or JSON',
  },
  'health-probe-bind-address': {
    type: 'string',
    value: 'HOST:PORT',
    fallback: 'nowhere',
    help: 'where /healthz and /readyz are',
  },
  'allow-service': {
    type: 'string',
    value: 'NAME',
    fallback: SERVICE,
    help: 'a Windows service that may be started and stopped; may be repeated',
  },
  'allow-all-services': { type: 'boolean', help: 'lifts that limit' },
  'check-volume-paths': {
    type: 'boolean',
    value: '=false',
    fallback: 'true',
    help: 'the target paths of volumes lie under the allowed folders; in the original anywhere',
  },
  'check-link-paths': {
    type: 'boolean',
    help: 'IsSymlink and IsMountPoint, too, look nowhere but under the allowed folders',
  },
  'time-limit-ms': {
    type: 'string',
    value: 'CALL=N',
    help: 'how long calls of this name may take, such as FormatVolume=1200000; may be repeated',
  },
  'calls-per-group': { type: 'string', value: 'N', fallback: '64', help: 'calls of a group that run at a time' },
  'connections-per-pipe': { type: 'string', value: 'N', fallback: '1024', help: 'connections of a pipe' },
  connections: { type: 'string', value: 'N', fallback: '4096', help: 'connections of all pipes' },
  'handshake-ms': { type: 'string', value: 'N', fallback: '10000', help: 'how long a connection may take to begin' },
  'idle-ms': { type: 'string', value: 'N', fallback: '300000', help: 'how long a connection may be without a call' },
  'request-ms': {
    type: 'string',
    value: 'N',
    fallback: '10000',
    help: 'how long a request may take to come to its end, or an answer to be taken',
  },
  'unfinished-requests': {
    type: 'string',
    value: 'N',
    fallback: '1024',
    help: 'requests that have not come to their end',
  },
  'held-request-mib': {
    type: 'string',
    value: 'N',
    fallback: '64',
    help: 'what requests that are not answered yet may hold',
  },
  'drain-ms': {
    type: 'string',
    value: 'N',
    fallback: String(DRAIN_MS),
    help: 'time for running calls to finish when the server stops, in milliseconds',
  },
} as const;
export type Flag = keyof typeof FLAGS;
