// Types of the used part of hpack.js, which has none.
declare module 'hpack.js' {
  interface DecodedHeader {
    readonly name: string;
    readonly value: string;
    readonly neverIndex: boolean;
  }
  interface Decompressor {
    write(block: Uint8Array): boolean;
    /** Throws on an invalid header block, through its `error` event without a listener. */
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
