// The parts of AsyncAPI 3.1 that we write, and keys for its maps, from which tools make file names and identifiers.
// https://www.asyncapi.com/docs/reference/specification/v3.1.0
import type { Json } from "../trees/document.ts";
import { escapeKey } from "../trees/pointer.ts";
import type { JsonSchema } from "../value-types/json-schema/json-schema.ts";

/** A whole document: one API as its clients see it. */
export interface AsyncApiDocument {
  readonly asyncapi: "3.1.0";
  readonly id?: string;
  readonly info: Readonly<Record<string, Json>>;
  readonly defaultContentType: string;
  readonly servers?: Readonly<Record<string, Server>>;
  readonly channels: Readonly<Record<string, Channel>>;
  readonly operations: Readonly<Record<string, AsyncApiOperation>>;
  readonly components?: Components;
}

/** Objects that several places refer to. */
export interface Components {
  readonly messages?: Readonly<Record<string, MessageDescription>>;
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
  readonly securitySchemes?: Readonly<Record<string, SecurityDescription>>;
}

/** The address of the gateway or of a broker. */
export interface Server {
  /** The host, with a port if one is written; `{name}` is a variable. */
  readonly host: string;
  readonly protocol: string;
  /** The listen path without its trailing slash. */
  readonly pathname?: string;
  readonly description?: string;
  readonly variables?: Json;
}

/** A path of the gateway with one transport. */
export interface Channel {
  /** The path below the listen path; `null` if the other side determines it. */
  readonly address: string | null;
  readonly title?: string;
  readonly description?: string;
  readonly servers?: readonly AsyncApiReference[];
  readonly parameters?: Readonly<Record<string, Json>>;
  readonly messages: Readonly<Record<string, AsyncApiReference>>;
  readonly bindings?: Json;
}

/** What the gateway does with messages of a channel; in the client view, what the client does. */
export interface AsyncApiOperation {
  readonly action: "send" | "receive";
  readonly channel: AsyncApiReference;
  readonly title: string;
  readonly summary?: string;
  readonly description?: string;
  /** The alternatives of which a client needs one. */
  readonly security?: readonly (AsyncApiReference | SecurityDescription)[];
  readonly bindings?: Json;
  readonly messages: readonly AsyncApiReference[];
  /** The channel and the messages of the response to a request. */
  readonly reply?: { readonly channel: AsyncApiReference; readonly messages: readonly AsyncApiReference[] };
}

/** The name, content type and schema of a message. */
export interface MessageDescription {
  readonly name: string;
  readonly title: string;
  readonly contentType?: string;
  readonly payload?: JsonSchema;
  readonly bindings?: Json;
}

/** A security scheme. */
export type SecurityDescription = Readonly<Record<string, Json>>;

/** A JSON pointer to another place of the document. */
export interface AsyncApiReference {
  readonly $ref: string;
}

/** Returns a reference to the value at a path of keys. */
export function referTo(...path: readonly string[]): AsyncApiReference {
  const escaped = path.map(escapeKey);
  return { $ref: `#/${escaped.join("/")}` };
}

/** Returns a new key for a name in the document: `orders_id` for `orders/{id}`, and `orders_id_2` the second time. */
type ClaimKey = (name: string, fallback: string) => string;

/** Creates a function that returns each key only once. */
export function createKeys(): ClaimKey {
  const taken = new Set<string>();
  return (name, fallback) => {
    const base = name.replaceAll(/[^A-Za-z0-9-]+/g, "_").replaceAll(/^_|_$/g, "") || fallback;
    let key = base;
    for (let number = 2; taken.has(key); number += 1) key = `${base}_${number}`;
    taken.add(key);
    return key;
  };
}
