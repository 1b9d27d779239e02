import type { Stats } from "node:fs";
import { join } from "node:path";

export type { Span } from "../../compiler/source/source.ts";

// `import "./not-this-one.ts"` in a comment or a string is none.
export const sample = async (stats: Stats) => {
  const { cpus } = await import("node:os");
  const address: import("node:net").AddressInfo | string = 'import "./nor-this.ts"';
  return [join(String(stats.size)), cpus(), address];
};
