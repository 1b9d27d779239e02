// Scripts and styles of the pages that the project serves, compressed as the browser asks for them.

import type { IncomingMessage, ServerResponse } from "node:http";
import { crypto, zlib } from "../process/builtins.ts";
import { lazily } from "../text/memo.ts";
import { pageHeaders } from "./page-document.ts";

/** A file as it is sent to a browser that takes these encodings. */
export interface SentFile {
  readonly bytes: Buffer;
  /** Headers about the bytes. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A file of a page. */
export interface PageFile {
  /** Strong enough to tell texts apart, the same for every encoding. */
  readonly etag: string;
  /** The file for a request with that `Accept-Encoding`. */
  send(accepted: string | undefined): SentFile;
}

/** A file of the text that was packed by `scripts/generate-pages.ts`: Brotli as base64. */
export function packedFile(type: string, base64: string): PageFile {
  const packed = lazily(() => Buffer.from(base64, "base64"));
  return pageFile(type, packed, () => zlib().brotliDecompressSync(packed()), { packed });
}

/** A file of a text, which depends on the request headers that `vary` names. */
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
    br: () => packed?.() ?? zlib().brotliCompressSync(plain()),
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
      // Compressed once for all requests.
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

/** Answers `GET` and `HEAD` for a file, with 304 where the browser has it. */
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

/** RFC 9110, section 12.5.3; a coding with `q=0` is not taken. */
function chooseEncoding(accepted = ""): "br" | "gzip" | "identity" {
  const taken = accepted
    .toLowerCase()
    .split(",")
    .map((each) => each.split(";").map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)))
    .map(([name]) => name);
  return taken.includes("br") ? "br" : taken.includes("gzip") ? "gzip" : "identity";
}
