// The extensions of a document: found under either spelling, with references put in place.

import { extensionAliases } from "../../../schemas/catalogue.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { nearest } from "../../diagnostics/suggest.ts";
import type { References } from "../../trees/api.ts";
import {
  type DocumentNode,
  describeNode,
  findEntry,
  type MapEntry,
  type MapNode,
} from "../../trees/document.ts";
import { createExpander, type Expander } from "../references/expand.ts";
import { findReference } from "../references/locate.ts";

/** What a document has for us. Broken parts were reported and are left out. */
export interface Extensions {
  readonly streaming?: MapNode;
  readonly gateway?: MapNode;
}

type ExtensionName = keyof typeof extensionAliases;

/** Finds the extensions of a document, and reports names that nearly are one. A bare document needs none. */
export function readExtensions(
  root: MapNode,
  isBare: boolean,
  references: References,
  report: Report,
): Extensions {
  const expander = createExpander(references, report);
  const streaming = findExtension(root, "x-gw-streaming", report);
  const gateway = findExtension(root, "x-gw-api-gateway", report);
  reportUnknown(root, isBare || streaming !== undefined || gateway !== undefined, report);
  const streamingNode = streaming && expandStreams(streaming, expander, references, report);
  const gatewayNode = gateway && requireMap(gateway, expander.expand(gateway.value), report);
  return {
    ...(streamingNode === undefined ? {} : { streaming: streamingNode }),
    ...(gatewayNode === undefined ? {} : { gateway: gatewayNode }),
  };
}

/** The one stream of a bare document, as the value of `x-gw-streaming` that would say the same. */
export function wrapBareStream(root: MapNode, references: References, report: Report): MapNode | undefined {
  // The unit tests of a stream may stand beside it; `sluice test` reads them.
  const entries = root.entries.filter(({ key }) => key !== "tests" && !isExtension(key));
  const stream = createExpander(references, report).expand({ ...root, entries });
  if (stream === undefined) return undefined;
  const start = { source: root.span.source, start: root.span.start, end: root.span.start };
  const inner: MapNode = {
    kind: "map",
    entries: [{ key: "stream", keySpan: start, value: stream }],
    span: root.span,
  };
  return { kind: "map", entries: [{ key: "streams", keySpan: start, value: inner }], span: root.span };
}

function findExtension(root: MapNode, canonical: ExtensionName, report: Report): MapEntry | undefined {
  const name = extensionAliases[canonical];
  const own = findEntry(root, canonical);
  const alias = findEntry(root, name);
  if (alias === undefined) return own;
  if (own === undefined) {
    report("GW1047", alias.keySpan, { name, canonical });
    return alias;
  }
  const [first, second] = own.keySpan.start < alias.keySpan.start ? [own, alias] : [alias, own];
  const related = { span: first.keySpan, message: "The other spelling is here." };
  report("GW1048", second.keySpan, { name, canonical }, related);
  return own;
}

/** Expands each stream separately, so that a broken reference in one does not hide the others. */
function expandStreams(
  entry: MapEntry,
  expander: Expander,
  references: References,
  report: Report,
): MapNode | undefined {
  const value = references.resolve(entry.value);
  const streams = findEntry(value, "streams");
  const list = streams && references.resolve(streams.value);
  const isPlain = value?.kind === "map" && findReference(entry.value) === undefined;
  if (
    !isPlain ||
    streams === undefined ||
    list?.kind !== "map" ||
    findReference(streams.value) !== undefined
  ) {
    return requireMap(entry, expander.expand(entry.value), report);
  }
  const entries = list.entries.flatMap((stream) => {
    const expanded = expander.expand(stream.value);
    return expanded === undefined ? [] : [{ ...stream, value: expanded }];
  });
  const whole: DocumentNode = { ...list, entries };
  return {
    ...value,
    entries: value.entries.flatMap((other) => {
      if (other === streams) return [{ ...streams, value: whole }];
      const expanded = expander.expand(other.value);
      return expanded === undefined ? [] : [{ ...other, value: expanded }];
    }),
  };
}

function requireMap(entry: MapEntry, value: DocumentNode | undefined, report: Report): MapNode | undefined {
  if (value === undefined || value.kind === "map") return value;
  report("GW1051", value.span, { name: entry.key, actual: describeNode(value) });
  return undefined;
}

/**
 * Reports keys that begin like our extensions. A misspelt one is an error: what it configures, such as
 * authentication, would silently be missing. Any other one only has no effect.
 */
function reportUnknown(root: MapNode, isExtended: boolean, report: Report): void {
  const known = Object.entries(extensionAliases).flat();
  const taken = new Set(root.entries.map(({ key }) => key));
  const unknown = root.entries.filter(({ key }) => isExtension(key, taken) && !known.includes(key));
  for (const { key: name, keySpan } of unknown) {
    const meant = withoutPrefix(name);
    const near =
      meant === undefined ? nearest(name, known, taken) : { closest: meant, respelling: "unsure" as const };
    const details = { name, ...near };
    if (!isExtended) report("GW1049", keySpan, details);
    else if (details.closest === undefined) report("GW1050", keySpan, { name });
    else report("GW1055", keySpan, details);
  }
  const version = findEntry(root, "openapi");
  if (isExtended || unknown.length > 0 || version === undefined) return;
  report("GW1049", version.keySpan, { name: version.key, closest: undefined });
}

/** Whether a key begins like our extensions, or is the name of one that is not there otherwise. */
function isExtension(key: string, taken: ReadonlySet<string> = new Set()): boolean {
  if (key.startsWith("x-gw-") || key.startsWith("x-tyk-")) return true;
  const meant = withoutPrefix(key);
  return meant !== undefined && !taken.has(meant) && !taken.has(extensionAliases[meant]);
}

/** `x-gw-streaming` for `x-streaming` and `x-gateway-streaming`. */
function withoutPrefix(key: string): keyof typeof extensionAliases | undefined {
  const [, name] =
    /^x[-_]?(?:(?:gw|tyk|gateway)[-_]?)?(streaming|api-?gateway)$/.exec(key.toLowerCase()) ?? [];
  if (name === undefined || Object.entries(extensionAliases).flat().includes(key)) return undefined;
  return name === "streaming" ? "x-gw-streaming" : "x-gw-api-gateway";
}
