// Bodies of requests against the media types that an operation declares.

import { isUtf8 } from "node:buffer";
import type { ReadBody } from "../../component/endpoint.ts";
import { GatewayError } from "../../errors.ts";
import { bodyLimit, type Call } from "../../http/call.ts";
import { discardBody } from "../../http/gateway-messages.ts";
import { collectBody } from "../../http/read-body.ts";
import { isPlainJson } from "../../message/json.ts";
import type { Value } from "../../message/value.ts";
import { bodyBudget } from "../../process/memory/body-budget.ts";
import { faultsOf, faultsOfTexts, type RequestFault, type SchemaCheck } from "./check.ts";
import { parseStrictJson, type ReadJson } from "./strict-json.ts";

/** What an operation takes. */
export interface DeclaredBody {
  readonly required: boolean;
  readonly content: readonly MediaType[];
}

/** A media type, which may be a range (`text/*`), and its schema; without one any content of it will do. */
export interface MediaType {
  readonly type: string;
  /** How its content is read. */
  readonly format?: "json" | "form" | "text";
  /** Tells everything that is wrong, for bodies of usual size. */
  readonly check?: SchemaCheck;
  /** Stops at the first thing that is wrong, as all of it may be many times the size of a large body. */
  readonly quickCheck?: SchemaCheck;
}

/** Bytes up to which all faults are reported. */
const usualSize = 64 * 1024;

/** A media type whose content has to fit a schema. */
export type CheckedMedia = MediaType & Required<Pick<MediaType, "check" | "quickCheck">>;

/** What is wrong with the body of a request, or why it is refused for another reason. */
export type BodyVerdict = readonly RequestFault[] | GatewayError;

/** What of `body` a request has to be checked as, or the verdict where its body need not be read. */
export function declaredMedia({ request }: Call, body: DeclaredBody): CheckedMedia | BodyVerdict {
  const { headers } = request;
  const isThere = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  if (!isThere) return missing(body);
  const type = headers["content-type"] ?? "";
  const media = findMedia(body.content, type);
  // An application that reads the same bytes in another encoding sees other texts than those that were validated.
  if (media === undefined || (isChecked(media) && !isInUtf8(type))) {
    discardBody(request);
    return new GatewayError(415, "Content-Type is not supported");
  }
  return isChecked(media) ? media : [];
}

function isChecked(media: MediaType): media is CheckedMedia {
  return media.check !== undefined && media.quickCheck !== undefined;
}

function missing({ required }: DeclaredBody): readonly RequestFault[] {
  return required ? [{ pointer: "/body", reason: "is required" }] : [];
}

/** Reads the body and keeps it in `call`, with what it takes of the process's memory until the request is over. */
export function readHeldBody(call: Call, maxBodyBytes: number): Promise<ReadBody | GatewayError> {
  const { transport } = call;
  const hold = bodyBudget.holdUntilClosed(transport.kind === "http" ? transport.response : transport.socket);
  return new Promise((resolve) => {
    collectBody(call.request, bodyLimit(call, maxBodyBytes), hold, (bytes) => {
      if (bytes instanceof GatewayError) return resolve(bytes);
      call.body = { bytes, hold, document: undefined };
      resolve(call.body);
    });
  });
}

/** What is wrong with a body that was read. Its document is kept with it where a stream may make a message of it. */
export function bodyFaults(
  call: Call,
  read: ReadBody,
  media: CheckedMedia,
  body: DeclaredBody,
): readonly RequestFault[] {
  const { bytes } = read;
  if (bytes.length === 0) return missing(body);
  const { format = "json" } = media;
  if (!isUtf8(bytes)) return [{ pointer: "/body", reason: "is not UTF-8" }];
  const text = bytes.toString();
  const value = parse(text, format);
  if ("reason" in value) return [{ pointer: "/body", reason: value.reason }];
  const { parsed } = value;
  if (bytes.length > usualSize) return faultsOfFormat(media.quickCheck, parsed, format);
  const faults = faultsOfFormat(media.check, parsed, format);
  const isForStream = format === "json" && faults.length === 0 && call.api?.findRoutes() !== undefined;
  // What JSON.parse makes is a document of messages, but for numbers and characters that it does not keep.
  if (isForStream && isPlainJson(text)) read.document = parsed as Value;
  return faults;
}

function faultsOfFormat(
  check: SchemaCheck,
  parsed: unknown,
  format: MediaType["format"],
): readonly RequestFault[] {
  const isForm = format === "form" && typeof parsed === "object" && parsed !== null;
  return isForm ? faultsOfTexts(check, parsed, "/body") : faultsOf(check, parsed, "/body");
}

/** The most exact entry for a type; its parameters do not count. */
function findMedia(content: readonly MediaType[], given: string): MediaType | undefined {
  const find = (wanted: string) => content.find((media) => media.type === wanted);
  const asWritten = find(given);
  if (asWritten !== undefined) return asWritten;
  const type = (given.split(";", 1)[0] ?? "").trim().toLowerCase();
  const [kind = ""] = type.split("/", 1);
  return type === "" ? undefined : (find(type) ?? find(`${kind}/*`) ?? find("*/*"));
}

const charsets: ReadonlySet<string> = /* @__PURE__ */ new Set(["", "utf-8", "utf8", "us-ascii", "ascii"]);

/** Whether no parameter of a type names another encoding. */
function isInUtf8(type: string): boolean {
  if (!type.includes(";")) return true;
  return type
    .split(";")
    .slice(1)
    .map((each) => each.trim().toLowerCase())
    .filter((each) => each.startsWith("charset"))
    .every((each) => charsets.has(unquoted(each.slice(each.indexOf("=") + 1).trim())));
}

function unquoted(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function parse(text: string, format: "json" | "form" | "text"): ReadJson {
  if (format === "text") return { parsed: text };
  if (format === "form") return { parsed: parseForm(text) };
  return parseStrictJson(text);
}

/** Fields by name; one that came several times is a list. */
export function parseForm(text: string): Record<string, unknown> {
  const object: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    const present = object[name];
    if (typeof present === "object") present.push(value);
    else object[name] = present === undefined ? value : [present, value];
  }
  return object;
}
