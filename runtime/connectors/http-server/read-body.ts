// The body of a request, unpacked, up to a limit.

import type { IncomingMessage } from "node:http";
import type { Readable, Transform } from "node:stream";
// As one object: an import of a name that an old Node lacks would fail before the process can say so.
import zlib from "node:zlib";
import { GatewayError } from "../../errors.ts";

const decoders: Readonly<Record<string, () => Transform>> = {
  br: zlib.createBrotliDecompress,
  deflate: zlib.createInflate,
  gzip: zlib.createGunzip,
  "x-gzip": zlib.createGunzip,
  zstd: zlib.createZstdDecompress,
};

/** More layers than any client sends, few enough to stay cheap. */
const maxLayers = 3;

/**
 * The whole body, or why it cannot be had: 413 when it is larger than `limit` bytes (packed or unpacked),
 * 415 for an encoding nobody knows here, 400 when it is broken or cut off. The rest of a refused body is
 * read and thrown away, so that the client gets to see the answer.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | GatewayError> {
  const layers = encodingsOf(request);
  const makers = layers.map((name) => (Object.hasOwn(decoders, name) ? decoders[name] : undefined));
  const known = makers.filter((maker) => maker !== undefined);
  if (known.length < layers.length || layers.length > maxLayers) {
    return refuse(request, new GatewayError(415, "Content-Encoding is not supported", supportedEncodings));
  }
  if (Number(request.headers["content-length"] ?? 0) > limit) return refuse(request, tooLarge());
  return collect(
    request,
    known.reverse().map((maker) => maker()),
    limit,
  );
}

const supportedEncodings = { headers: { "accept-encoding": "gzip, deflate, br, zstd" } };

function encodingsOf(request: IncomingMessage): readonly string[] {
  return (request.headers["content-encoding"] ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
}

async function refuse(request: IncomingMessage, error: GatewayError): Promise<GatewayError> {
  request.resume();
  return error;
}

function collect(
  request: IncomingMessage,
  layers: readonly Transform[],
  limit: number,
): Promise<Buffer | GatewayError> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let finished = false;
    const last = layers.reduce<Readable>((source, layer) => source.pipe(layer), request);
    const finish = (result: Buffer | GatewayError) => {
      if (finished) return;
      finished = true;
      for (const layer of layers) layer.destroy();
      request.unpipe();
      last.removeAllListeners("data");
      request.resume();
      resolve(result);
    };
    last.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) finish(tooLarge());
      else chunks.push(chunk);
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
