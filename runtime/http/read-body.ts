// The body of a request, unpacked, up to a limit.

import type { IncomingMessage } from "node:http";
import type { Readable, Transform } from "node:stream";
import { GatewayError } from "../errors.ts";
import { supportedEncodings, unpackersOf } from "../message/content-encoding.ts";
import type { Hold } from "../process/memory/body-budget.ts";

/**
 * The whole body, or why it cannot be had: 413 when it is larger than `limit` bytes (packed or unpacked), 503 when the
 * process holds as many bytes as it may, which `hold` counts as they come,
 * 415 for an encoding nobody knows here, 400 when it is broken or cut off. The rest of a refused body is
 * read and thrown away, so that the client gets to see the answer.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  hold: Hold,
): Promise<Buffer | GatewayError> {
  const layers = unpackersOf(request.headers["content-encoding"]);
  if (layers === undefined) {
    return refuse(request, new GatewayError(415, "Content-Encoding is not supported", { headers: accepted }));
  }
  if (Number(request.headers["content-length"] ?? 0) > limit) {
    for (const layer of layers) layer.destroy();
    return refuse(request, tooLarge());
  }
  return collect(request, layers, limit, hold);
}

const accepted = { "accept-encoding": supportedEncodings };

async function refuse(request: IncomingMessage, error: GatewayError): Promise<GatewayError> {
  request.resume();
  return error;
}

function collect(
  request: IncomingMessage,
  layers: readonly Transform[],
  limit: number,
  hold: Hold,
): Promise<Buffer | GatewayError> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let finished = false;
    const last = layers.reduce<Readable>((source, layer) => source.pipe(layer), request);
    const finish = (result: Buffer | GatewayError) => {
      if (finished) return;
      finished = true;
      if (result instanceof GatewayError) {
        chunks.length = 0;
        hold.clear();
      }
      for (const layer of layers) layer.destroy();
      request.unpipe();
      last.removeAllListeners("data");
      request.resume();
      resolve(result);
    };
    last.on("data", (chunk: Buffer) => {
      size += chunk.length;
      const refused = size > limit ? tooLarge() : hold.take(chunk.length);
      if (refused === undefined) chunks.push(chunk);
      else finish(refused);
    });
    last.on("end", () => {
      if (!finished) finish(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    for (const layer of layers) layer.on("error", () => finish(broken()));
    request.on("error", () => finish(broken()));
    request.on("close", () => {
      if (!request.complete) finish(broken());
    });
  });
}

function tooLarge(): GatewayError {
  return new GatewayError(413, "Request body is too large");
}

function broken(): GatewayError {
  return new GatewayError(400, "Request body is broken");
}
