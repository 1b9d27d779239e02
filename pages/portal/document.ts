// Documents about APIs as the page shows them, of whichever kind they are.

import { parse } from "yaml";
import { readChannels } from "./asyncapi.ts";
import type { ReadDocument } from "./documented.ts";
import { t } from "./messages.ts";
import { readPaths } from "./openapi.ts";
import { type Part, partOf, partsOf, resolvePart, textOf } from "./schemas.ts";

/** Reads a document in JSON or YAML; throws where it is neither, or no object. */
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

/** The first server of a document; of AsyncAPI the first one that takes requests, as brokers may stand before it. */
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

/** With the values that variables have by default. */
function urlOf({ url, protocol, host, pathname, variables }: Part): string {
  const before = textOf(host) === "" ? "" : `${textOf(protocol)}://${textOf(host)}`;
  const address = textOf(url) || `${before}${textOf(pathname)}`;
  return address.replace(/\{([^}]+)\}/g, (whole, name: string) => {
    return textOf(partOf(partOf(variables)[name]).default) || whole;
  });
}
