// What of the conversions between shelf v1alpha1 and the internal types is written by hand, and which fields are ignored.
import type * as pb from '../../../../api/shelf/v1alpha1/api_generated.ts';
import type * as internal from '../types.ts';
import { autoConvert_internal_Book_To_pb_Book, autoConvert_pb_Book_To_internal_Book } from './conversion_generated.ts';

export const ignoredFields = {
  PutBookRequest: { carefully: 'books are always put carefully' },
  PutBookResponse: { error: 'what goes wrong is the status of the call' },
};

export function convert_pb_Book_To_internal_Book(input: pb.Book, out: internal.Book): void {
  autoConvert_pb_Book_To_internal_Book(input, out);
  out.thickness = Number(input.thickness);
  if (!Number.isInteger(out.thickness)) throw new RangeError(`a book is a whole number of millimetres thick`);
}

export const convert_internal_Book_To_pb_Book = (input: internal.Book, out: pb.Book): void => {
  autoConvert_internal_Book_To_pb_Book(input, out);
  out.thickness = String(input.thickness);
};
