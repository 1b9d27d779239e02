import type { Delivered, Output } from "../../component/component.ts";
import type { DropOutputOptions } from "./generated/output-options.ts";

/** Confirms every message and discards it. */
export function dropOutput(_options: DropOutputOptions): Output {
  return new Dropping();
}

const confirmed = /* @__PURE__ */ Promise.resolve({});

class Dropping implements Output {
  async start(): Promise<void> {}

  write(): Promise<Delivered> {
    return confirmed;
  }

  async close(): Promise<void> {}
}
