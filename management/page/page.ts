// The page for people, at `/`, which uses the API at `/api`.

import { GatewayError } from "../../runtime/errors.ts";
import type { ChainStep } from "../../runtime/http/call.ts";
import { sendPageFile } from "../../runtime/http/page-file.ts";
import { readPageFile } from "./page-files.ts";

/** Serves the page to all clients: it contains no data, and asks for a key before it shows any. */
export const servePage: ChainStep = async ({ path, verb, transport, request }) => {
  const [name = "", ...rest] = path.segments;
  const file = rest.length === 0 ? await readPageFile(name) : undefined;
  if (transport.kind !== "http" || file === undefined) return new GatewayError(404, "not found");
  if (verb !== "GET" && verb !== "HEAD") {
    return new GatewayError(405, "Method not allowed", { headers: { allow: "GET, HEAD" } });
  }
  await sendPageFile(file, request, transport.response);
  return "done";
};
