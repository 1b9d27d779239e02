// Reports media types, content codings and header fields that resemble registered ones: a schema under a misspelt type describes no
// message, and no server reads a misspelt field.

import type { Report } from "../../../diagnostics/sink.ts";
import { difference, nearest, suggest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import { contentsOf, writtenTypesOf } from "../../../model/operation-parts.ts";
import { declaredOperations } from "../../../model/operations.ts";
import { optionsNamed } from "../../../model/options.ts";
import { SoundItems } from "../../../model/path-items.ts";
import { entriesOf } from "../../../model/written.ts";
import type { Span } from "../../../source/source.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import type { DocumentNode } from "../../../trees/document.ts";
import { literalText } from "../../../trees/fields.ts";
import type { SchemedValue } from "../values.ts";

/** Common types, suggested for a type that resembles one of them, and by editors. */
export const commonTypes: readonly string[] = [
  "application/cloudevents+json",
  "application/json",
  "application/merge-patch+json",
  "application/octet-stream",
  "application/problem+json",
  "application/x-ndjson",
  "application/x-www-form-urlencoded",
  "application/xml",
  "application/yaml",
  "multipart/form-data",
  "multipart/mixed",
  "text/csv",
  "text/event-stream",
  "text/html",
  "text/plain",
  "text/xml",
];

/** Types that exist, even if they resemble others. */
const others: ReadonlySet<string> = new Set([
  ...[
    "application/bson",
    "application/json5",
    "application/jsonl",
    "application/json-seq",
    "application/jsonml+json",
  ],
  ...[
    "application/ndjson",
    "application/x-json",
    "application/x-yaml",
    "application/yml",
    "application/xhtml+xml",
    "application/xv+xml",
  ],
  ...["multipart/form", "multipart/related", "text/css", "text/json", "text/tsv", "text/x-json", "text/yaml"],
]);

/**
 * Operations whose types are all right and written in the operation itself. An editor checks again after each change to
 * some other part of a document.
 */
const known = new WeakSet<DocumentNode | ReadonlySet<DocumentNode>>();

/** The path items whose operations have right types. Operations of callbacks are read. */
const sound = new SoundItems(
  (part) =>
    !Object.hasOwn(part, "callbacks") &&
    writtenTypesOf(part)?.every((type) => misspeltType(type) === undefined) === true,
);

/** Reports types of request bodies and responses that resemble a common one. */
export function checkContentTypes(api: ApiModel, report: Report): void {
  const operations = declaredOperations(api, sound);
  if (known.has(operations)) return;
  const seen = new Set<DocumentNode>();
  let isKnown = true;
  for (const operation of operations) {
    if (known.has(operation)) continue;
    if (checkTypesOf(operation, api, seen, report)) known.add(operation);
    else isKnown = false;
  }
  if (isKnown) known.add(operations);
}

/** Whether all types of an operation are right and written in the operation itself. */
function checkTypesOf(
  operation: DocumentNode,
  { references }: ApiModel,
  seen: Set<DocumentNode>,
  report: Report,
): boolean {
  const { contents, isReferring } = contentsOf(operation, references);
  let isKnown = !isReferring;
  for (const content of contents) {
    if (seen.has(content)) {
      // Another operation has reported it.
      isKnown = false;
      continue;
    }
    seen.add(content);
    for (const { key, keySpan } of entriesOf(content))
      if (!checkMediaType(key, keySpan, report)) isKnown = false;
  }
  return isKnown;
}

/** Whether a media type is right, as far as this can be known. */
function checkMediaType(written: string, span: Span, report: Report): boolean {
  const closest = misspeltType(written);
  if (closest !== undefined) report("GW4096", span, { type: written, closest });
  return closest === undefined;
}

/** Returns the type that was meant if another one is written. */
function misspeltType(written: string): string | undefined {
  const [name = ""] = written.split(";");
  const type = name.trim().toLowerCase();
  if (commonTypes.includes(type) || others.has(type) || /^$|[*$]/.test(type)) return undefined;
  const closest = meantType(type);
  return closest === type ? undefined : closest;
}

/** Returns the type that a text resembles; a type with a subtype of its own is taken as intended. */
function meantType(type: string): string | undefined {
  if (!type.includes("/")) {
    const separated = type.replace(/[.\-_]/, "/");
    return commonTypes.find((each) => each === separated || each.split("/")[1] === type);
  }
  // Short types can differ in two letters and still be two types: `application/sql` and `application/xml`.
  const near = commonTypes.find((each) => difference(type, each) <= (each.length < 20 ? 1 : 2));
  if (near !== undefined) return near;
  const subtype = type.split("/")[1];
  // `application/event-stream`: the subtype belongs to only one type.
  return type.startsWith("application/")
    ? commonTypes.find((each) => each === `text/${subtype}` && isOfText(each))
    : undefined;
}

function isOfText(type: string): boolean {
  return type === "text/event-stream" || type === "text/plain";
}

/** Header fields of requests and responses that occur in documents. */
const fields: readonly string[] = [
  ...[
    "Accept-Encoding",
    "Accept-Language",
    "Authorization",
    "Cache-Control",
    "Content-Disposition",
    "Content-Encoding",
  ],
  ...[
    "Content-Language",
    "Content-Length",
    "Content-Type",
    "Idempotency-Key",
    "If-Modified-Since",
    "If-None-Match",
  ],
  ...["Retry-After", "Transfer-Encoding", "User-Agent", "X-Api-Key", "X-Forwarded-For", "X-Request-Id"],
];

/** Reports headers that resemble a known one, and types in them or in `content_type` that resemble a common one. */
export function checkHeaders({ name, value }: SchemedValue, report: Report): void {
  if (name === "content_type" && value.kind === "Literal")
    checkMediaType(String(value.value), value.span, report);
  if (name !== "headers" || value.kind !== "Object") return;
  for (const field of value.fields) {
    const written = field.name.toLowerCase();
    const type = literalText(field.value);
    if ((written === "content-type" || written === "accept") && type !== undefined && !type.includes(","))
      checkMediaType(type, field.value.span, report);
    if ((written === "content-encoding" || written === "accept-encoding") && type !== undefined)
      checkCodings(type, field.value.span, report);
    const { closest, respelling } = nearest(field.name, fields);
    if (respelling === "sure" && closest !== undefined && closest.toLowerCase() !== written)
      report("GW4097", field.nameSpan, { header: field.name, closest });
  }
}

/** The registered content codings, which names of other codings may resemble. */
const codings: readonly string[] = [
  ...["aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "identity", "pack200-gzip"],
  ...["x-compress", "x-gzip", "zstd"],
];

/** Reports the codings of a header that are not registered and resemble one that is. */
function checkCodings(written: string, span: Span, report: Report): void {
  for (const part of written.split(",")) {
    const [name = ""] = part.split(";");
    const coding = name.trim().toLowerCase();
    const closest = codings.includes(coding) ? undefined : suggest(coding, codings);
    if (closest !== undefined) report("GW4288", span, { coding: name.trim(), closest });
  }
}

/** Headers that NATS servers act on. Unlike those of HTTP, their case counts. */
const natsHeaders: readonly string[] = [
  ...["Nats-Msg-Id", "Nats-Expected-Stream", "Nats-Expected-Last-Sequence", "Nats-Expected-Last-Msg-Id"],
  ...["Nats-Expected-Last-Subject-Sequence", "Nats-Expected-Last-Subject-Sequence-Subject", "Nats-Rollup"],
  ...["Nats-TTL", "Nats-Schedule", "Nats-Schedule-TTL", "Nats-Schedule-Target"],
];

const messageOptions = optionsNamed(["headers"]);

/** Reports headers of NATS messages that resemble one that servers act on, or that differ from it in case. */
export function checkNatsHeaders(component: ComponentNode, report: Report): void {
  for (const { name, nameSpan } of messageOptions(component)?.headers.fields ?? []) {
    if (natsHeaders.includes(name) || !/^nats/i.test(name)) continue;
    const closest = natsHeaders.find((each) => difference(each.toLowerCase(), name.toLowerCase()) <= 2);
    if (closest !== undefined) report("GW4097", nameSpan, { header: name, closest });
  }
}
