// What is used of hpack.js, which comes without types.
declare module 'hpack.js' {
  interface DecodedHeader {
    readonly name: string;
    readonly value: string;
    readonly neverIndex: boolean;
  }
  interface Decompressor {
    write(block: Uint8Array): boolean;
    /** Throws, by its `error` event when nobody listens to that, on what is no header block. */
    execute(): void;
    read(): DecodedHeader | null;
  }
  const hpack: {
    readonly decompressor: {
      create(options: { readonly table: { readonly maxSize: number } }): Decompressor;
    };
  };
  // biome-ignore lint/style/noDefaultExport: that is how a CommonJS module looks from here
  export default hpack;
}
