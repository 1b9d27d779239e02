// Documents about APIs as the page shows them, of whichever kind they are.

import { parse } from "yaml";
import { readChannels } from "./asyncapi.ts";
import type { ReadDocument } from "./documented.ts";
import { t } from "./messages.ts";
import { readPaths } from "./openapi.ts";
import { partOf, textOf } from "./schemas.ts";

/** Reads a document in JSON or YAML; throws where it is neither, or no object. */
export function readDocument(text: string): ReadDocument {
  const root = partOf(/^\s*\{/.test(text) ? JSON.parse(text) : parse(text));
  const info = partOf(root.info);
  const isEvents = root.asyncapi !== undefined;
  if (!isEvents && root.openapi === undefined) throw new Error(t("docs.neither"));
  const [server] = Array.isArray(root.servers) ? root.servers : Object.values(partOf(root.servers));
  return {
    kind: isEvents ? "AsyncAPI" : "OpenAPI",
    title: textOf(info.title),
    version: textOf(info.version),
    description: textOf(info.description),
    base: pathOf(textOf(partOf(server).url) || textOf(partOf(server).pathname)),
    operations: isEvents ? readChannels(root) : readPaths(root),
    root,
  };
}

function pathOf(url: string): string {
  const path = URL.parse(url, location.origin)?.pathname ?? "/";
  return path.replace(/\/$/, "");
}
