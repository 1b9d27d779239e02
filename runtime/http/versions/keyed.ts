// Versions that a header or a query parameter names.

import { GatewayError } from "../../errors.ts";
import { headerValues, rewriteHeader, takeParameter } from "../request-fields.ts";
import type { RoutedRequest, VersionedRequest, Versions } from "../versioning.ts";
import { createVersionTable, type KeyedVersioningBlock } from "./choose.ts";

/** Versions named by the header `key`. */
export function versionsInHeader(block: KeyedVersioningBlock): Versions {
  return keyed(
    block,
    ({ request }) => headerValues(request, block.key),
    ({ request }) => rewriteHeader(request, block.key, () => undefined),
  );
}

/** Versions named by the query parameter `key`. */
export function versionsInQuery(block: KeyedVersioningBlock): Versions {
  return keyed(
    block,
    ({ query, url }) => (query === "" ? [] : url.searchParams.getAll(block.key)),
    (call) => takeParameter(call, block.key),
  );
}

/** A name that occurs twice counts as an unknown version: a server behind the gateway might read the other one. */
function keyed(
  block: KeyedVersioningBlock,
  read: (request: RoutedRequest) => readonly string[],
  strip: (call: VersionedRequest) => void,
): Versions {
  const { fallback, find } = createVersionTable(block);
  const isStripped = block.stripVersioningData === true;
  return {
    all: block.versions,
    isInPath: false,
    isStripped,
    unnamed: fallback,
    choose(request, _below, runs) {
      const names = read(request).map((value) => value.trim());
      const found = find(names.length < 2 ? names[0] || undefined : names.join(", "), runs);
      return found instanceof GatewayError ? found : { version: found.version, isInPath: false };
    },
    ...(isStripped && { strip }),
  };
}
