// What documents about APIs say, of whichever kind they are.

import type { Part } from "./schemas.ts";
import type { KeyPlace } from "./security.ts";

/** How an operation can be tried. */
export type Transport = "http" | "events" | "websocket";

/** An operation of an OpenAPI document or of an AsyncAPI document. */
export interface DocumentedOperation {
  /** What is shown before the path: a method, or what is done. */
  readonly verb: string;
  /** Of requests that try it. */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly DocumentedParameter[];
  readonly bodies: readonly DocumentedBody[];
  /** A sample of what is sent; empty where nothing is. */
  readonly sample: string;
  readonly keys: readonly KeyPlace[];
  /** The likely one first; empty where the page cannot try it. */
  readonly transports: readonly Transport[];
}

/** A body or a message. */
export interface DocumentedBody {
  readonly title: string;
  readonly summary: string;
  /** Media type; empty where it is not said. */
  readonly type: string;
  /** With references into the document. */
  readonly schema: unknown;
  /** Of the headers of a message. */
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

/** A document as the page shows it. */
export interface ReadDocument {
  readonly kind: "OpenAPI" | "AsyncAPI";
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Origin of its server, such as `https://api.example.com`; empty where it names no host. */
  readonly origin: string;
  /** Path of its server, where it has one. */
  readonly base: string;
  readonly operations: readonly DocumentedOperation[];
  /** What references lead into. */
  readonly root: Part;
}

/**
 * An operation as a command of a shell, below the address of a server, with words in capitals for what only the developer knows;
 * empty for one that no plain request is.
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
  // Braces would be lists of addresses to curl.
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

/** One word of a shell, whatever a document has in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
