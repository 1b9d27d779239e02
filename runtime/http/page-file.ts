// Scripts and styles of the pages that the project serves, compressed with the encoding that the browser accepts.

import type { IncomingMessage, ServerResponse } from "node:http";
import { crypto, zlib } from "../process/builtins.ts";
import { lazily } from "../text/memo.ts";
import { pageHeaders } from "./page-document.ts";

type Encoding = "br" | "gzip" | "identity";

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
  send(accepted: string | undefined): Promise<SentFile>;
}

/** Returns a file that is compressed with Brotli: its bytes, or base64 as `scripts/generate-pages.ts` writes it. */
export function packedFile(type: string, file: string | Buffer): PageFile {
  const packed = lazily(() => (typeof file === "string" ? Buffer.from(file, "base64") : file));
  return pageFile(type, packed, () => inPool((done) => zlib().brotliDecompress(packed(), done)), { packed });
}

/** Returns a file from a text; `vary`: the request headers that the text depends on. */
export function textFile(type: string, text: string, vary = "accept-encoding"): PageFile {
  const bytes = lazily(() => Buffer.from(text));
  return pageFile(type, bytes, async () => bytes(), { vary });
}

function pageFile(
  type: string,
  identity: () => Buffer,
  plain: () => Promise<Buffer>,
  { packed, vary = "accept-encoding" }: { readonly packed?: () => Buffer; readonly vary?: string } = {},
): PageFile {
  const etag = lazily(() => `W/"${crypto().createHash("sha256").update(identity()).digest("base64url")}"`);
  const made = new Map<string, Promise<Buffer>>();
  const encode = async (encoding: Encoding) => {
    if (encoding === "br" && packed !== undefined) return packed();
    const bytes = await plain();
    return encoding === "gzip" ? inPool((done) => zlib().gzip(bytes, done)) : bytes;
  };
  return {
    get etag() {
      return etag();
    },
    async send(accepted) {
      const encoding = chooseEncoding(accepted, packed !== undefined);
      // Each encoding is created once for all requests.
      const bytes = made.get(encoding) ?? encode(encoding);
      made.set(encoding, bytes);
      return {
        bytes: await bytes,
        headers: {
          "content-type": type,
          vary,
          ...(encoding !== "identity" && { "content-encoding": encoding }),
        },
      };
    },
  };
}

type Done = (error: Error | null, result: Buffer) => void;

/** Runs in a thread of Node's pool: a script takes long enough to delay all messages. */
function inPool(start: (done: Done) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    start((error, result) => (error === null ? resolve(result) : reject(error)));
  });
}

/** Responds to `GET` and `HEAD` for a file; with 304 if the browser has it. */
export async function sendPageFile(
  file: PageFile,
  { method, headers: requestHeaders }: Pick<IncomingMessage, "method" | "headers">,
  response: ServerResponse,
): Promise<void> {
  const { bytes, headers } = await file.send(String(requestHeaders["accept-encoding"] ?? ""));
  const isKnown =
    requestHeaders["if-none-match"]?.split(",").some((tag) => tag.trim() === file.etag) ?? false;
  response.writeHead(isKnown ? 304 : 200, {
    ...pageHeaders,
    ...headers,
    "cache-control": "no-cache",
    etag: file.etag,
  });
  response.end(isKnown || method === "HEAD" ? undefined : bytes);
}

/** Chooses an encoding (RFC 9110, section 12.5.3); a coding with `q=0` is not acceptable. Texts are small enough for gzip. */
function chooseEncoding(accepted = "", isPacked: boolean): Encoding {
  const taken = accepted
    .toLowerCase()
    .split(",")
    .map((each) => each.split(";").map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)))
    .map(([name]) => name);
  return isPacked && taken.includes("br") ? "br" : taken.includes("gzip") ? "gzip" : "identity";
}
