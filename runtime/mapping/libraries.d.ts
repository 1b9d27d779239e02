// Types of libraries that bring none.

declare module "snappyjs" {
  const snappy: {
    compress(bytes: Uint8Array): Uint8Array;
  };
  export = snappy;
}
