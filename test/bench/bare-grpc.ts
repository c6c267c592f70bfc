// What gRPC alone does: a server that says back the bytes it got, without anything around it.
//
//   node bare-grpc.ts PATH
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { asIs, grpcTarget } from '../../adapters/csi-proxy/base/grpc.ts';

const [path = ''] = process.argv.slice(2);
const server = new Server();
const echo = ({ request }: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>): void =>
  answer(null, request);
server.register('/v1.Disk/GetDiskStats', echo, asIs, asIs, 'unary');
server.bindAsync(grpcTarget(path), ServerCredentials.createInsecure(), (error) => {
  if (error !== null) throw error;
  process.send?.('serving');
});
process.on('message', () => process.send?.(process.cpuUsage()));
process.on('disconnect', () => server.forceShutdown());
