// A library for Windows with one function, which is that of another library. Programs of Go begin by asking
// bcryptprimitives.dll for random bytes, which Wine 8 does not have; advapi32.dll has the same function under an older name.

/** Where headers and the only section begin, in the file and in memory. */
const HEADERS_BYTES = 0x200;
const SECTION_AT = 0x1000;
const SECTION_BYTES = 0x200;
const PE_AT = 0x40;
const OPTIONAL_AT = PE_AT + 24;
const OPTIONAL_BYTES = 240;

/**
 * @param names.library  its own name, such as `a.dll`
 * @param names.function  what it offers
 * @param names.target  what that is: `library.function`
 */
export function forwardingDll(names: { library: string; function: string; target: string }): Buffer {
  const image = Buffer.alloc(HEADERS_BYTES + SECTION_BYTES);
  image.write('MZ', 0);
  image.writeUInt32LE(PE_AT, 0x3c);
  image.write('PE\0\0', PE_AT);
  image.writeUInt16LE(0x8664, PE_AT + 4); // x64
  image.writeUInt16LE(1, PE_AT + 6); // sections
  image.writeUInt16LE(OPTIONAL_BYTES, PE_AT + 20);
  image.writeUInt16LE(0x2022, PE_AT + 22); // a library, of 64 bits, that can be loaded
  const optional = image.subarray(OPTIONAL_AT);
  optional.writeUInt16LE(0x20b, 0); // PE32+
  optional.writeBigUInt64LE(0x1_8000_0000n, 24); // where it would like to be
  optional.writeUInt32LE(SECTION_AT, 32); // alignment in memory
  optional.writeUInt32LE(HEADERS_BYTES, 36); // and in the file
  optional.writeUInt16LE(6, 40); // least version of the system
  optional.writeUInt16LE(6, 48); // and of the subsystem
  optional.writeUInt32LE(2 * SECTION_AT, 56); // bytes in memory
  optional.writeUInt32LE(HEADERS_BYTES, 60);
  optional.writeUInt16LE(2, 68); // subsystem
  optional.writeUInt16LE(0x100, 70); // no code among its data
  optional.writeUInt32LE(16, 108); // directories, the first of which is that of its functions
  optional.writeUInt32LE(SECTION_AT, 112);
  optional.writeUInt32LE(SECTION_BYTES, 116);
  const section = image.subarray(OPTIONAL_AT + OPTIONAL_BYTES);
  section.write('.rdata', 0);
  for (const [index, value] of [SECTION_BYTES, SECTION_AT, SECTION_BYTES, HEADERS_BYTES].entries()) {
    section.writeUInt32LE(value, 8 + 4 * index);
  }
  section.writeUInt32LE(0x4000_0040, 36); // data that is read

  // The directory, three lists of one, and three texts. A function whose address is in here is a text: another's name.
  const functions = image.subarray(HEADERS_BYTES);
  const [addresses, namesAt, ordinals, texts] = [40, 44, 48, 50];
  let end = texts;
  const text = (value: string): number => {
    const at = SECTION_AT + end;
    end += functions.write(`${value}\0`, end);
    return at;
  };
  functions.writeUInt32LE(text(names.library), 12);
  functions.writeUInt32LE(1, 16); // the first number of a function
  functions.writeUInt32LE(1, 20); // functions
  functions.writeUInt32LE(1, 24); // names
  for (const [index, list] of [addresses, namesAt, ordinals].entries()) {
    functions.writeUInt32LE(SECTION_AT + list, 28 + 4 * index);
  }
  functions.writeUInt32LE(text(names.target), addresses);
  functions.writeUInt32LE(text(names.function), namesAt);
  return image;
}
