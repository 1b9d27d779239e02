// Types of libraries that have no type declarations.

declare module "snappyjs" {
  const snappy: {
    compress(bytes: Uint8Array): Uint8Array;
  };
  export = snappy;
}
