// Validates requests against the operations of the document, and their bodies against the declared media types:
// `validateRequest`.

import { isUtf8 } from "node:buffer";
import type { ReadBody } from "../../component/endpoint.ts";
import { GatewayError } from "../../errors.ts";
import { bodyLimit, type Call, type StepResult } from "../../http/call.ts";
import { discardBody } from "../../http/gateway-messages.ts";
import {
  createOperationTable,
  type DescribedOperation,
  type FoundOperation,
} from "../../http/incoming/operation-table.ts";
import { collectBody } from "../../http/read-body.ts";
import { bodyBudget } from "../../process/memory/body-budget.ts";
import type { Protection } from "../../protection.ts";
import { bounded, faultsOf, faultsOfTexts, type RequestFault, type SchemaCheck } from "./check.ts";
import { keepTexts } from "./kept-numbers.ts";
import {
  isBracketed,
  otherSpelling,
  type ParameterRule,
  pointerOfDeepest,
  readParameters,
  sourcesOf,
} from "./parameters.ts";
import { parseStrictJson, type ReadJson, readWithTexts } from "./strict-json.ts";

/** The body that an operation accepts. */
interface DeclaredBody {
  readonly required: boolean;
  readonly content: readonly MediaType[];
}

/** A media type, or a range (`text/*`), with its schema; without a schema any content is accepted. */
interface MediaType {
  readonly type: string;
  /** How the content is parsed. */
  readonly format?: "json" | "form" | "text";
  /** The declared fields of a form that are no objects. */
  readonly fields?: readonly string[];
  /** Reports all errors, for bodies of usual size. */
  readonly check?: SchemaCheck;
  /** Stops at the first error, because all errors of a large body could be many times its size. */
  readonly quickCheck?: SchemaCheck;
}

/** The largest body in bytes for which all faults are reported. */
const usualSize = 64 * 1024;

/** A media type whose content must match a schema. */
type CheckedMedia = MediaType & Required<Pick<MediaType, "check" | "quickCheck">>;

/** The faults of a body, or another error for which the request is refused. */
type BodyVerdict = readonly RequestFault[] | GatewayError;

/** Returns the media type to check the body as, or the verdict if the body need not be read. */
function declaredMedia({ request }: Call, body: DeclaredBody): CheckedMedia | BodyVerdict {
  const { headers } = request;
  const isThere = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  if (!isThere) return missing(body);
  const type = headers["content-type"] ?? "";
  const media = findMedia(body.content, type);
  // An application that decodes the same bytes differently would see other texts than the validated ones.
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

/**
 * Reads the body into `call`, and resolves with what `judge` returns for it, or with the error. The body counts toward
 * the memory budget of the process until the request ends.
 */
function readHeldBody(
  call: Call,
  maxBodyBytes: number,
  judge: (read: ReadBody) => StepResult,
): Promise<StepResult> {
  const { transport } = call;
  const hold = bodyBudget.holdUntilClosed(transport.kind === "http" ? transport.response : transport.socket);
  return new Promise((resolve, reject) => {
    collectBody(call.request, bodyLimit(call, maxBodyBytes), hold, (bytes) => {
      if (bytes instanceof GatewayError) return resolve(bytes);
      call.body = { bytes, hold, document: undefined };
      try {
        resolve(judge(call.body));
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** Returns the faults of a body. Keeps the parsed document if a stream may turn the body into a message. */
function bodyFaults(
  call: Call,
  read: ReadBody,
  media: CheckedMedia,
  body: DeclaredBody,
): readonly RequestFault[] {
  const { bytes } = read;
  if (bytes.length === 0) return missing(body);
  const { format = "json" } = media;
  if (!isUtf8(bytes)) return [{ pointer: "/body", reason: "is not UTF-8" }];
  const isForStream = format === "json" && call.api?.routes !== undefined;
  const text = bytes.toString();
  const value = parse(text, bytes, format, isForStream);
  if ("reason" in value) return [{ pointer: "/body", reason: value.reason }];
  const { parsed, kept } = value;
  const check = bytes.length > usualSize ? media.quickCheck : media.check;
  const isForm = format === "form" && typeof parsed === "object" && parsed !== null;
  const faults = isForm
    ? joined(bracketedFields(parsed, media), faultsOfTexts(check, parsed, "/body"))
    : faultsOf(check, parsed, "/body", () => (kept?.length === 0 ? undefined : readWithTexts(text)));
  if (kept !== undefined && faults.length === 0) read.document = keepTexts(parsed, bytes, kept);
  return faults;
}

/** Returns a fault for each field whose name many servers take for that of a declared one: `limit[]` for `limit`. */
function bracketedFields(form: object, { fields = [] }: MediaType): readonly RequestFault[] {
  return Object.keys(form)
    .filter((name) => !fields.includes(name) && isBracketed(name, fields))
    .map((name) => ({ pointer: `/body/${name}`, reason: otherSpelling }));
}

/** Returns the most specific entry for a type; parameters are ignored. */
function findMedia(content: readonly MediaType[], given: string): MediaType | undefined {
  const asWritten = findType(content, given);
  if (asWritten !== undefined) return asWritten;
  const type = (given.split(";", 1)[0] ?? "").trim().toLowerCase();
  const [kind = ""] = type.split("/", 1);
  if (type === "") return undefined;
  return findType(content, type) ?? findType(content, `${kind}/*`) ?? findType(content, "*/*");
}

/** Every request runs this: a loop, because a closure would cost more. */
function findType(content: readonly MediaType[], wanted: string): MediaType | undefined {
  for (const media of content) if (media.type === wanted) return media;
  return undefined;
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

function parse(text: string, bytes: Buffer, format: "json" | "form" | "text", isDocument: boolean): ReadJson {
  if (format === "json") return parseStrictJson(text, bytes, isDocument);
  return { parsed: format === "text" ? text : parseForm(text), kept: undefined };
}

/** Returns fields by name; a repeated field is a list. */
export function parseForm(text: string): Record<string, unknown> {
  const object: Record<string, string | string[]> = Object.create(null);
  // Node.js takes time that grows with the square of the number of pairs without `=`.
  const pairs = text.split("&").map((pair) => (pair.includes("=") || pair === "" ? pair : `${pair}=`));
  for (const [name, value] of new URLSearchParams(pairs.join("&"))) {
    const present = object[name];
    if (typeof present === "object") present.push(value);
    else object[name] = present === undefined ? value : [present, value];
  }
  return object;
}

/** An operation with the checks for its requests. */
export interface ValidationOperation extends DescribedOperation {
  /** The status of refusals; 422 by default. */
  readonly status?: number;
  readonly parameters?: readonly ParameterRule[];
  /** Checks all parameters, by place and name. */
  readonly check?: SchemaCheck;
  readonly body?: DeclaredBody;
}

export interface RequestValidationBlock {
  readonly operations: readonly ValidationOperation[];
  /** Operations whose requests would otherwise match one of `operations`: `/rooms/new` next to `/rooms/{id}`. */
  readonly passed?: readonly DescribedOperation[];
}

type Found = FoundOperation<ValidationOperation>;

/**
 * Refuses requests that do not match their operation, with the faults: `{"error": …, "faults": [{"pointer",
 * "reason"}]}`; a body of an undeclared type with 415. A request that may be for several operations must match all of
 * them; a request for none passes.
 */
export function requestValidation({ operations, passed = [] }: RequestValidationBlock): Protection {
  const find = createOperationTable<ValidationOperation>([...operations, ...passed]);
  return {
    place: "validation",
    start: ({ maxBodyBytes }) => ({
      check(call) {
        if (call.api === undefined) return "next";
        const { own, alike } = find(call.verb, call.api);
        if (own !== undefined && alike.length === 0) return validate(call, own, maxBodyBytes);
        if (alike.length === 0) return "next";
        return validateAll(call, own === undefined ? alike : [own, ...alike], maxBodyBytes);
      },
    }),
  };
}

async function validateAll(call: Call, all: readonly Found[], maxBodyBytes: number): Promise<StepResult> {
  for (const found of all) {
    const result = await validate(call, found, maxBodyBytes);
    if (result !== "next") return result;
  }
  return "next";
}

function validate(call: Call, found: Found, maxBodyBytes: number): StepResult | Promise<StepResult> {
  const { operation } = found;
  const faults = parameterFaults(call, found);
  const { body } = operation;
  if (body === undefined || call.transport.kind !== "http") return refuse(faults, operation);
  // If the request is refused anyway, its body need not be sent.
  if (faults.length > 0 && call.request.headers.expect !== undefined) return refuse(faults, operation);
  const media = declaredMedia(call, body);
  if (media instanceof GatewayError) return media;
  if (!("type" in media)) return refuse(joined(faults, media), operation);
  const judge = (read: ReadBody) => refuse(joined(faults, bodyFaults(call, read, media, body)), operation);
  return call.body === undefined ? readHeldBody(call, maxBodyBytes, judge) : judge(call.body);
}

/** Returns the faults of both lists; most requests have none. */
function joined(one: readonly RequestFault[], other: readonly RequestFault[]): readonly RequestFault[] {
  return one.length === 0 ? other : [...one, ...other];
}

function parameterFaults(call: Call, { operation, parameters: path }: Found): readonly RequestFault[] {
  const { parameters = [], check } = operation;
  if (check === undefined) return [];
  const { values, faults, exact } = readParameters(parameters, sourcesOf(call, path));
  const unread = new Set(faults.map(({ pointer }) => pointer));
  // A parameter that could not be read must not be reported as missing, too.
  const own = faultsOfTexts(check, values, "", exact)
    // The fault of all parameters together: one of them is nested too deep.
    .map((fault) => (fault.pointer === "" ? { ...fault, pointer: pointerOfDeepest(values) } : fault))
    .filter(({ pointer }) => !unread.has(pointer));
  return [...faults, ...own];
}

function refuse(faults: readonly RequestFault[], { status = 422 }: ValidationOperation): StepResult {
  if (faults.length === 0) return "next";
  return new GatewayError(status, "Request does not fit its description", {
    fields: { faults: bounded(faults) },
  });
}
