// Reads API documents of all kinds into a common form for the page.

import { parse } from "yaml";
import { readChannels } from "./asyncapi.ts";
import type { ReadDocument } from "./documented.ts";
import { t } from "./messages.ts";
import { readPaths } from "./openapi.ts";
import { type Part, partOf, partsOf, resolvePart, textOf } from "./schemas.ts";

/** Reads a document in JSON or YAML. Throws if it is neither, or not an object. */
export function readDocument(text: string): ReadDocument {
  const root = partOf(/^\s*\{/.test(text) ? JSON.parse(text) : parse(text));
  const info = partOf(root.info);
  const isEvents = root.asyncapi !== undefined;
  if (!isEvents && root.openapi === undefined) throw new Error(t("docs.neither"));
  return {
    kind: isEvents ? "AsyncAPI" : "OpenAPI",
    title: textOf(info.title),
    version: textOf(info.version),
    description: textOf(info.description),
    ...serverOf(root),
    operations: isEvents ? readChannels(root) : readPaths(root),
    root,
  };
}

/** Returns the first server of a document; for AsyncAPI the first HTTP server, as brokers may precede it. */
function serverOf(root: Part): Pick<ReadDocument, "origin" | "base"> {
  const isEvents = root.asyncapi !== undefined;
  const servers = isEvents ? Object.values(partOf(root.servers)) : partsOf(root.servers);
  const urls = servers.map((each) => urlOf(resolvePart(root, each)));
  const isWeb = (url: string) => /^https?:\/\//i.test(url);
  const url = (isEvents ? urls.find(isWeb) : undefined) ?? urls[0] ?? "";
  const found = URL.parse(url, location.origin);
  return {
    origin: isWeb(url) ? (found?.origin ?? "") : "",
    base: (found?.pathname ?? "/").replace(/\/$/, ""),
  };
}

/** Returns the URL of a server, with the default values of its variables. */
function urlOf({ url, protocol, host, pathname, variables }: Part): string {
  const before = textOf(host) === "" ? "" : `${textOf(protocol)}://${textOf(host)}`;
  const address = textOf(url) || `${before}${textOf(pathname)}`;
  return address.replace(/\{([^}]+)\}/g, (whole, name: string) => {
    return textOf(partOf(partOf(variables)[name]).default) || whole;
  });
}
