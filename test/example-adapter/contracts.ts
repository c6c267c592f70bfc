// What the kinds of the print shop promise to their users.
import { immutable, integer, type KindContract, map, object, required, string } from 'troupe/adapter';

export const GROUP = 'press.example.org';
export const VERSION = 'v1';

const phase = string('phase that the object is in.', { maxLength: 64 });
const message = string('message says what it waits for, or what is wrong.', { maxLength: 1024 });
const observedGeneration = integer('observedGeneration is the generation that the status speaks of.', {
  format: 'int64',
});
const columns = [{ name: 'Phase', description: 'phase that it is in', jsonPath: '.status.phase' }];

export const paperContract: KindContract = {
  group: GROUP,
  version: VERSION,
  kind: 'Paper',
  plural: 'papers',
  categories: ['press'],
  description: 'Paper is a roll of paper.',
  columns,
  spec: object('spec of the paper.', {
    grams: required(integer('grams of a square metre.', { minimum: 40, maximum: 400 })),
  }),
  status: object('status of the paper.', {
    id: string('id of the roll.', { maxLength: 64 }),
    phase,
    message,
    observedGeneration,
  }),
};

const name = string('name of the other.', { minLength: 1, maxLength: 253 });
const bookSpec = {
  title: required(string('title on the cover.', { minLength: 1, maxLength: 256 })),
  pages: required(immutable(integer('pages that it has.', { minimum: 1, maximum: 10_000 }))),
  paperRef: required(
    immutable(
      object('paperRef is what it is printed on.', {
        name: required(name),
        namespace: string('namespace of the paper; that of the book unless stated.', { maxLength: 63 }),
      }),
    ),
  ),
  sequelTo: immutable(
    string('sequelTo is a book of the namespace that is to be bound before this one.', { maxLength: 253 }),
  ),
};

export const bookContract: KindContract = {
  group: GROUP,
  version: VERSION,
  kind: 'Book',
  plural: 'books',
  categories: ['press'],
  description: 'Book is a book that is printed and bound.',
  columns,
  spec: object('spec of the book.', {
    ...bookSpec,
    binding: string('binding that it gets.', { enum: ['glued', 'sewn'], default: 'glued' }),
  }),
  status: object('status of the book.', {
    phase,
    message,
    observedGeneration,
    progress: map('progress of the print, while it lasts.', integer('count of sheets.'), { maxProperties: 2 }),
  }),
  // Nothing converts: each version has all fields of the others, so that no write by one takes away what another said.
  older: [
    {
      version: 'v1alpha1',
      deprecated: 'press.example.org/v1alpha1 Book is deprecated; use v1',
      spec: object('spec of the book.', {
        ...bookSpec,
        binding: string('binding that it gets.', { enum: ['glued', 'sewn'] }),
      }),
    },
  ],
};
