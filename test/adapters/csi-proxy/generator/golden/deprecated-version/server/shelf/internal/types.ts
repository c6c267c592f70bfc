// What the server of group shelf works on: all that some version can say. Written by hand.
import type { Empty, text, uint32 } from '../../../../../../../../../adapters/csi-proxy/codec/scalars.ts';

export interface Book {
  title: text;
  thickness: uint32;
  authors: text[];
}

export type ListBooksRequest = Empty;

export interface ListBooksResponse {
  books: Book[];
  /** How many there are on all shelves. */
  total: uint32;
}

export interface PutBookRequest {
  book: Book | undefined;
  /** From below. */
  shelf: uint32;
}

export type PutBookResponse = Empty;
