import type { Input } from "../../component/component.ts";
import { createHttpServerInput } from "./create-input.ts";
import type { HttpServerInputOptions } from "./generated/input-options.ts";

/** `httpServerInput` for a stream without `ws_path`: a gateway that uses only this carries no WebSocket code. */
export function plainHttpServerInput(options: Omit<HttpServerInputOptions, "ws_path">): Input {
  return createHttpServerInput(options, undefined);
}
