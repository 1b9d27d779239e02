// Types of libraries that bring none.

declare module "snappyjs" {
  const snappy: {
    compress(bytes: Uint8Array): Uint8Array;
  };
  export = snappy;
}

declare module "seek-bzip" {
  const bzip2: {
    decode(bytes: Buffer, output: { writeByte(byte: number): void }, multistream: boolean): void;
  };
  export = bzip2;
}
