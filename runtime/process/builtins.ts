// Modules of Node that many gateways never need, loaded by what needs them first: together they are a quarter of a start.

import type { Cluster } from "node:cluster";
import { lazily } from "../text/memo.ts";

export const crypto = /* @__PURE__ */ lazily(() => process.getBuiltinModule("node:crypto"));
export const zlib = /* @__PURE__ */ lazily(() => process.getBuiltinModule("node:zlib"));
export const os = /* @__PURE__ */ lazily(() => process.getBuiltinModule("node:os"));
/** The types know only the default export of its import. */
export const cluster = /* @__PURE__ */ lazily(
  () => process.getBuiltinModule("node:cluster") as unknown as Cluster,
);
