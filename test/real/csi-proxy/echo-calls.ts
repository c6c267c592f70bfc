// A process on the same system as a server that answers what it hears: calls it, connection after connection, and says how
// many of them were answered. Under Wine the answer goes to a file, since a pipe of Linux is no standard output there.
//
//   node echo-calls.ts FILE PIPE COUNT
import { writeFileSync } from 'node:fs';
import { openConnection } from '../../../adapters/csi-proxy/client/open-connection.ts';
import { clock, echoMethod, until } from '../../adapters/csi-proxy/echo-group.ts';

const [file = '', path = '', count = '0'] = process.argv.slice(2);

await until(async () => {
  try {
    (await openConnection(path, { clock })).close();
    return true;
  } catch {
    return false;
  }
}, 'the server is there');
let answered = 0;
for (let each = 0; each < Number(count); each++) {
  const connection = await openConnection(path, { clock });
  if ((await connection.call(echoMethod('v1', 'Echo'), { text: 'there' }, {})).text === 'there') answered += 1;
  connection.close();
}
writeFileSync(file, String(answered));
