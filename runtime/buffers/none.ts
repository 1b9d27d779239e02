import type { Buffer, InputContext } from "../component/component.ts";
import { notConnected } from "../component/persistence.ts";
import type { NoneBufferOptions } from "./generated/none-buffer-options.ts";

/** A buffer that keeps nothing: each batch is acknowledged when it is delivered. */
export function noneBuffer(_options: NoneBufferOptions = {}): Buffer {
  let context: InputContext | undefined;
  return {
    get collectors() {
      return context?.collectors;
    },
    async open(given) {
      context = given;
    },
    async write(batch) {
      if (context === undefined) throw notConnected();
      return context.deliver(batch);
    },
    idle: async () => undefined,
    close: async () => undefined,
  };
}
