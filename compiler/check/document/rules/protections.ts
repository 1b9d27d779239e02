// What a document asks to be closed and nothing closes yet: serving it would be worse than not serving.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiDocument } from "../../../parse/document/api.ts";
import { findNode } from "../../../parse/document/tree.ts";

/** Reports an API that only other APIs are to call. */
export function checkInternal({ gateway }: ApiDocument, report: Report): void {
  const internal = findNode(gateway, "info", "state", "internal");
  if (internal?.kind === "scalar" && internal.value === true) {
    report("GW4041", internal.span, { field: "info.state.internal" });
  }
}
