// The package has no types of its own.

declare module "postject" {
  /** Writes `data` into the executable `file` as a resource that the program finds by `name`. */
  export function inject(
    file: string,
    name: string,
    data: Buffer,
    options: { readonly sentinelFuse: string },
  ): Promise<void>;
}
