// The common form of API documents of all kinds.

import type { Part } from "./schemas.ts";
import type { KeyPlace } from "./security.ts";

/** How an operation can be tried. */
export type Transport = "http" | "events" | "websocket";

/** An operation of an OpenAPI document or of an AsyncAPI document. */
export interface DocumentedOperation {
  /** The text before the path: an HTTP method or an action. */
  readonly verb: string;
  /** The HTTP method of requests that try it. */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly DocumentedParameter[];
  readonly bodies: readonly DocumentedBody[];
  /** A sample body; empty if nothing is sent. */
  readonly sample: string;
  readonly keys: readonly KeyPlace[];
  /** The transports to try it, the most likely first; empty if the page cannot try it. */
  readonly transports: readonly Transport[];
}

/** A body or a message. */
export interface DocumentedBody {
  readonly title: string;
  readonly summary: string;
  /** Media type; empty if it is not specified. */
  readonly type: string;
  /** The schema, with references into the document. */
  readonly schema: unknown;
  /** The schema of a message's headers. */
  readonly headers?: unknown;
}

/** A parameter of an operation. */
export interface DocumentedParameter {
  readonly name: string;
  readonly place: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly type: string;
}

/** A document in the common form. */
export interface ReadDocument {
  readonly kind: "OpenAPI" | "AsyncAPI";
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Origin of its server, such as `https://api.example.com`; empty if it names no host. */
  readonly origin: string;
  /** Path of its server, if there is one. */
  readonly base: string;
  readonly operations: readonly DocumentedOperation[];
  /** The root of the document, to resolve references. */
  readonly root: Part;
}

/**
 * Returns an operation as a shell command for a server, with capitalised words for values that only the developer
 * knows; empty if the operation is not a plain request.
 */
export function commandOf(operation: DocumentedOperation, server: string): string {
  const { method, path, parameters, keys, sample, transports } = operation;
  if (!transports.some((each) => each !== "websocket")) return "";
  const key = keys.find(({ place }) => place !== "elsewhere");
  const values = [
    ...parameters
      .filter(({ place, isRequired }) => place === "query" && isRequired)
      .map(({ name }) => `${name}=VALUE`),
    ...(key?.place === "query" ? [`${key.name}=${key.sample}`] : []),
  ];
  // curl would interpret braces as lists of addresses.
  const named = path.replace(/^\//, "").replace(/\{([^}]+)\}/g, (_, name: string) => name.toUpperCase());
  const address = `${server}/${named}`;
  const fields = [
    ...(key?.place === "header" ? [`${key.name}: ${key.sample}`] : []),
    ...(key?.place === "cookie" ? [`Cookie: ${key.name}=${key.sample}`] : []),
    ...(transports[0] === "events" ? ["Accept: text/event-stream"] : []),
    ...(sample === "" ? [] : ["Content-Type: application/json"]),
  ];
  const lines = [
    `curl${transports[0] === "events" ? " -N" : ""}${method === "GET" ? "" : ` -X ${method}`} ${quoted(values.length > 0 ? `${address}?${values.join("&")}` : address)}`,
    ...fields.map((field) => `-H ${quoted(field)}`),
    ...(sample === "" ? [] : [`-d ${quoted(sample)}`]),
  ];
  return lines.join(" \\\n  ");
}

/** Quotes a text as one word of a shell, whatever it contains. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
