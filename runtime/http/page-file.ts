// Scripts and styles of the pages that the project serves, compressed with the encoding that the browser accepts.

import type { IncomingMessage, ServerResponse } from "node:http";
import { crypto, zlib } from "../process/builtins.ts";
import { lazily } from "../text/memo.ts";
import { pageHeaders } from "./page-document.ts";

/** A file as sent to a browser, in a given encoding. */
export interface SentFile {
  readonly bytes: Buffer;
  /** Headers that describe the bytes. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A file of a page. */
export interface PageFile {
  /** A strong tag of the content, the same for every encoding. */
  readonly etag: string;
  /** Returns the file for a request with this `Accept-Encoding`. */
  send(accepted: string | undefined): SentFile;
}

/** Returns a file from the output of `scripts/generate-pages.ts`: Brotli as base64. */
export function packedFile(type: string, base64: string): PageFile {
  const packed = lazily(() => Buffer.from(base64, "base64"));
  return pageFile(type, packed, () => zlib().brotliDecompressSync(packed()), { packed });
}

/** Returns a file from a text; `vary`: the request headers that the text depends on. */
export function textFile(type: string, text: string, vary = "accept-encoding"): PageFile {
  const bytes = lazily(() => Buffer.from(text));
  return pageFile(type, bytes, bytes, { vary });
}

function pageFile(
  type: string,
  identity: () => Buffer,
  plain: () => Buffer,
  { packed, vary = "accept-encoding" }: { readonly packed?: () => Buffer; readonly vary?: string } = {},
): PageFile {
  const etag = lazily(() => `W/"${crypto().createHash("sha256").update(identity()).digest("base64url")}"`);
  const made = new Map<string, Buffer>();
  const encoders: Readonly<Record<string, () => Buffer>> = {
    br: () => packed?.() ?? compress(plain()),
    gzip: () => zlib().gzipSync(plain()),
    identity: plain,
  };
  return {
    get etag() {
      return etag();
    },
    send(accepted) {
      const encoding = chooseEncoding(accepted);
      const bytes = made.get(encoding) ?? encoders[encoding]?.() ?? plain();
      // Each encoding is created once for all requests.
      made.set(encoding, bytes);
      return {
        bytes,
        headers: {
          "content-type": type,
          vary,
          ...(encoding !== "identity" && { "content-encoding": encoding }),
        },
      };
    },
  };
}

/** Compresses while all requests wait: by default, Brotli takes a second for the script of a page. */
function compress(bytes: Buffer): Buffer {
  const { brotliCompressSync, constants } = zlib();
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
}

/** Responds to `GET` and `HEAD` for a file; with 304 if the browser has it. */
export function sendPageFile(
  file: PageFile,
  { method, headers: asked }: Pick<IncomingMessage, "method" | "headers">,
  response: ServerResponse,
): void {
  const { bytes, headers } = file.send(String(asked["accept-encoding"] ?? ""));
  const isKnown = asked["if-none-match"]?.split(",").some((tag) => tag.trim() === file.etag) ?? false;
  response.writeHead(isKnown ? 304 : 200, {
    ...pageHeaders,
    ...headers,
    "cache-control": "no-cache",
    etag: file.etag,
  });
  response.end(isKnown || method === "HEAD" ? undefined : bytes);
}

/** Chooses an encoding (RFC 9110, section 12.5.3); a coding with `q=0` is not acceptable. */
function chooseEncoding(accepted = ""): "br" | "gzip" | "identity" {
  const taken = accepted
    .toLowerCase()
    .split(",")
    .map((each) => each.split(";").map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)))
    .map(([name]) => name);
  return taken.includes("br") ? "br" : taken.includes("gzip") ? "gzip" : "identity";
}
