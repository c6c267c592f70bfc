// The entry of csi-proxy.exe. Parts of Node look at the standard streams when they are loaded: those are replaced before anything
// else is.
import { mendStreams } from '../../process/streams.ts';

mendStreams();
import('./executable-commands.ts').then(async ({ main }) => {
  process.exitCode = await main(process.argv.slice(2), process.env);
});
