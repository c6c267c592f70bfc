// needs: wine
// The csi-proxy on real named pipes: its suite once more. Where Windows itself is, `npm test` has run it on them already.
import { underWine } from './wine-suite.ts';

underWine('test/adapters/csi-proxy/base/pipes.test.ts');
