// A run that is killed in its midst: it starts a process, freezes it, and says which one, and which folder is its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startGuard } from './guard.ts';

const guard = await startGuard();
const pod = spawn('/bin/sh', ['-c', 'while :; do wait; done'], { stdio: 'ignore' });
await once(pod, 'spawn');
const { pid = 0 } = pod;
guard.watch(pid, once(pod, 'exit'));
process.kill(pid, 'SIGSTOP');
process.stdout.write(`${JSON.stringify({ folder: guard.folder, pid })}\n`);
