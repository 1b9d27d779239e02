import type { Output } from "../../component/component.ts";
import { createHttpServerOutput } from "./create-output.ts";
import type { HttpServerOutputOptions } from "./generated/output-options.ts";

/**
 * `httpServerOutput` for a stream that opens no sockets, with `stream_path` and without `ws_path`: a gateway
 * that uses only this carries no WebSocket code.
 */
export function plainHttpServerOutput(options: Omit<HttpServerOutputOptions, "ws_path">): Output {
  return createHttpServerOutput(options, undefined);
}
