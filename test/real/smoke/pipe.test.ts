// needs: wine
// The csi-proxy's client on real named pipes, and no more of it.
import { underWine } from '../csi-proxy/wine-suite.ts';

underWine('test/real/smoke/one-pipe.ts');
