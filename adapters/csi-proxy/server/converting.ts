// Conversion functions of generated servers.
import { Code, StatusError } from '../base/status.ts';

/** Fills `out`, which has its defaults, from `input`. */
export type Convert<Input, Out> = (input: Input, out: Out) => void;

/** `out`, filled. */
export function converted<Input, Out>(convert: Convert<Input, Out>, input: Input, out: Out): Out {
  convert(input, out);
  return out;
}

/** @throws {StatusError} what is wrong with the caller's request: `INVALID_ARGUMENT`, unless it is a status already */
export function requestFrom<Input, Out>(convert: Convert<Input, Out>, input: Input, out: Out): Out {
  return orStatus(Code.InvalidArgument, convert, input, out);
}

/** @throws {StatusError} an answer that the version cannot give: `INTERNAL`, unless it is a status already */
export function responseFrom<Input, Out>(convert: Convert<Input, Out>, input: Input, out: Out): Out {
  return orStatus(Code.Internal, convert, input, out);
}

function orStatus<Input, Out>(code: Code, convert: Convert<Input, Out>, input: Input, out: Out): Out {
  try {
    return converted(convert, input, out);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw new StatusError(code, error instanceof Error ? error.message : String(error), { cause: error });
  }
}
