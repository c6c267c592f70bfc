// Entry point of csi-proxy.exe. Node modules access the standard streams when they are loaded, so those are repaired
// first.
import { mendStreams } from '../../process/streams.ts';

mendStreams();
import('./executable-commands.ts').then(async ({ main }) => {
  process.exitCode = await main(process.argv.slice(2), process.env);
});
