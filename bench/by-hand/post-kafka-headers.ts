// POST → mapping → Kafka, with the headers and other properties of the request as headers of the record.

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { send } from "./kafka.ts";
import { mapOrder } from "./order.ts";
import { serve } from "./server.ts";

/** Headers of the connection or of the transmitted body, which do not describe the message. */
const leftOut = new Set(["host", "connection", "content-length"]);

function headersOf({ method, url, rawHeaders, socket }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {
    http_server_request_path: url ?? "",
    http_server_verb: method ?? "",
    http_server_remote_ip: socket.remoteAddress ?? "",
    http_server_user_agent: "",
    "X-Request-Id": randomUUID(),
  };
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (!leftOut.has(name.toLowerCase())) headers[name] = rawHeaders[index + 1] ?? "";
  }
  return headers;
}

serve((body, answer, request) => send({ value: mapOrder(body), headers: headersOf(request) }, answer));
