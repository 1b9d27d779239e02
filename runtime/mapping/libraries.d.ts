// Types of libraries that bring none.

declare module "snappyjs" {
  const snappy: {
    compress(bytes: Uint8Array): Uint8Array;
    uncompress(bytes: Uint8Array): Uint8Array;
  };
  export = snappy;
}

declare module "seek-bzip" {
  const bzip2: { decode(bytes: Buffer): Buffer };
  export = bzip2;
}
