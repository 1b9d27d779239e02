// The page for people, at `/`: what the interface at `/api` does, without a program of their own.

import { GatewayError } from "../../runtime/errors.ts";
import type { ChainStep } from "../../runtime/http/call.ts";
import { pageHeaders } from "../../runtime/http/page-document.ts";
import { matches, tagOf } from "../entity-tags.ts";
import { pageHtml } from "./page-html.ts";
import { pageStyle } from "./page-style.ts";
import { readPageScript } from "./script-file.ts";

const files: ReadonlyMap<string, readonly [type: string, text: () => string | Promise<string>]> = new Map([
  ["", ["text/html; charset=utf-8", () => pageHtml]],
  ["page.css", ["text/css; charset=utf-8", () => pageStyle]],
  ["page.js", ["text/javascript; charset=utf-8", readPageScript]],
]);

/** Serves the page to everybody: it holds nothing, and asks for a key before it shows anything. */
export const servePage: ChainStep = async ({ path, verb, transport, request }) => {
  const [name = "", ...rest] = path.segments;
  const [type, read] = rest.length === 0 ? (files.get(name) ?? []) : [];
  if (transport.kind !== "http" || read === undefined) return new GatewayError(404, "not found");
  if (verb !== "GET" && verb !== "HEAD") {
    return new GatewayError(405, "Method not allowed", { headers: { allow: "GET, HEAD" } });
  }
  const text = await read();
  const etag = tagOf(text);
  const isKnown = matches(request.headers["if-none-match"] ?? "", etag);
  transport.response.writeHead(isKnown ? 304 : 200, {
    "content-type": type,
    "cache-control": "no-cache",
    etag,
    ...pageHeaders,
  });
  transport.response.end(isKnown || verb === "HEAD" ? undefined : text);
  return "done";
};
