import type { Input } from "../../component/component.ts";
import { openSocket } from "../../sockets/upgrade.ts";
import { createHttpServerInput } from "./create-input.ts";
import type { HttpServerInputOptions } from "./generated/input-options.ts";

/**
 * Takes messages from requests (`path`; the body is one message, `multipart/*` a batch) and from sockets
 * (`ws_path`; each frame is one). The caller of a request is answered once the output has confirmed.
 */
export function httpServerInput(options: HttpServerInputOptions): Input {
  return createHttpServerInput(options, openSocket);
}
