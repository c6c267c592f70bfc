// What of the conversions between dummy v1alpha1 and the internal types is written by hand: numbers have 32 bits here.
import type * as pb from '../../../../api/dummy/v1alpha1/api_generated.ts';
import type * as internal from '../types.ts';

export function convert_pb_ComputeDoubleRequest_To_internal_ComputeDoubleRequest(
  input: pb.ComputeDoubleRequest,
  out: internal.ComputeDoubleRequest,
): void {
  out.input = BigInt(input.input32);
}

export function convert_internal_ComputeDoubleResponse_To_pb_ComputeDoubleResponse(
  input: internal.ComputeDoubleResponse,
  out: pb.ComputeDoubleResponse,
): void {
  // A client of this version has no other way to learn of an overflow, and 0 would be a wrong answer.
  if (input.overflow || BigInt.asIntN(32, input.response) !== input.response) {
    throw new RangeError(`int32 overflow for ${input.response}`);
  }
  out.response32 = Number(input.response);
}
