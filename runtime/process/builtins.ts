// Modules of Node that many gateways never need, loaded at their first use: loading all of them takes a quarter of the
// start time.

import type { Cluster } from "node:cluster";
import { lazily } from "../text/memo.ts";

export const crypto = /* @__PURE__ */ lazily(() => process.getBuiltinModule("node:crypto"));
export const zlib = /* @__PURE__ */ lazily(() => process.getBuiltinModule("node:zlib"));
export const os = /* @__PURE__ */ lazily(() => process.getBuiltinModule("node:os"));
/** TypeScript only knows the default export of `node:cluster`. */
export const cluster = /* @__PURE__ */ lazily(
  () => process.getBuiltinModule("node:cluster") as unknown as Cluster,
);
