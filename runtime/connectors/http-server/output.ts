import type { Output } from "../../component/component.ts";
import { openSocket } from "../../sockets/upgrade.ts";
import { createHttpServerOutput } from "./create-output.ts";
import type { HttpServerOutputOptions } from "./generated/output-options.ts";

/**
 * Hands messages to clients: one per request or by server-sent events (`path`), on a held-open response
 * (`stream_path`), or on sockets (`ws_path`, or `path` alone). All clients of one output take turns.
 */
export function httpServerOutput(options: HttpServerOutputOptions): Output {
  return createHttpServerOutput(options, openSocket);
}
