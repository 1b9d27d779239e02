// Bodies of requests against the media types that an operation declares.

import { GatewayError } from "../../errors.ts";
import { bodyLimit, type Call } from "../../http/call.ts";
import { readBody } from "../../http/read-body.ts";
import { bodyBudget } from "../../process/memory/body-budget.ts";
import { faultsOf, faultsOfTexts, type RequestFault, type SchemaCheck } from "./check.ts";

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

/**
 * What is wrong with the body of a request, or why it is refused for another reason. Only a body with a schema is read; it
 * is then kept in `call`.
 */
export async function validateBody(
  call: Call,
  body: DeclaredBody,
  maxBodyBytes: number,
): Promise<readonly RequestFault[] | GatewayError> {
  const { headers } = call.request;
  const isThere = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  if (!isThere) return body.required ? [{ pointer: "/body", reason: "is required" }] : [];
  const media = findMedia(body.content, headers["content-type"] ?? "");
  if (media === undefined) {
    call.request.resume();
    return new GatewayError(415, "Content-Type is not supported");
  }
  if (media.check === undefined || media.quickCheck === undefined) return [];
  const read = call.body ?? (await readHeldBody(call, maxBodyBytes));
  if (read instanceof GatewayError) return read;
  if (read.length === 0) return body.required ? [{ pointer: "/body", reason: "is required" }] : [];
  const value = parse(read, media.format ?? "json");
  if (value === undefined) return [{ pointer: "/body", reason: "is not JSON" }];
  const check = read.length > usualSize ? media.quickCheck : media.check;
  const { parsed } = value;
  const isForm = media.format === "form" && typeof parsed === "object" && parsed !== null;
  return isForm ? faultsOfTexts(check, parsed, "/body") : faultsOf(check, parsed, "/body");
}

/** Reads the body and keeps it in `call`, with what it takes of the process's memory until the request is over. */
async function readHeldBody(call: Call, maxBodyBytes: number): Promise<Buffer | GatewayError> {
  const { transport } = call;
  const hold = bodyBudget.holdUntilClosed(transport.kind === "http" ? transport.response : transport.socket);
  const read = await readBody(call.request, bodyLimit(call, maxBodyBytes), hold);
  if (read instanceof GatewayError) return read;
  call.body = read;
  call.bodyHold = hold;
  return read;
}

/** The most exact entry for a type; its parameters do not count. */
function findMedia(content: readonly MediaType[], given: string): MediaType | undefined {
  const type = (given.split(";", 1)[0] ?? "").trim().toLowerCase();
  const [kind = ""] = type.split("/", 1);
  const find = (wanted: string) => content.find((media) => media.type === wanted);
  return type === "" ? undefined : (find(type) ?? find(`${kind}/*`) ?? find("*/*"));
}

function parse(bytes: Buffer, format: "json" | "form" | "text"): { readonly parsed: unknown } | undefined {
  const text = bytes.toString("utf8");
  if (format === "text") return { parsed: text };
  if (format === "form") return { parsed: parseForm(text) };
  try {
    return { parsed: JSON.parse(text) };
  } catch {
    return undefined; // SyntaxError, or RangeError for what is nested too deep to be read
  }
}

/** Fields by name; one that came several times is a list. */
function parseForm(text: string): Record<string, unknown> {
  const form = new URLSearchParams(text);
  const object: Record<string, unknown> = Object.create(null);
  for (const name of new Set(form.keys())) {
    const values = form.getAll(name);
    object[name] = values.length === 1 ? values[0] : values;
  }
  return object;
}
