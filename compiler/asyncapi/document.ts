// AsyncAPI 3.1 as far as we write it, and keys of its maps, which tools make file names and identifiers of. https://www.asyncapi.com/docs/reference/specification/v3.1.0
import type { Json } from "../trees/document.ts";
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

/** What is referred to from several places. */
export interface Components {
  readonly messages?: Readonly<Record<string, MessageDescription>>;
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
  readonly securitySchemes?: Readonly<Record<string, SecurityDescription>>;
}

/** Where the gateway is reached, or a broker. */
export interface Server {
  /** With a port where one was written; `{name}` is a variable. */
  readonly host: string;
  readonly protocol: string;
  /** The listen path without its last slash. */
  readonly pathname?: string;
  readonly description?: string;
  readonly variables?: Json;
}

/** A path of the gateway, as one transport serves it. */
export interface Channel {
  /** Below the listen path; `null` where the other side says it. */
  readonly address: string | null;
  readonly title?: string;
  readonly description?: string;
  readonly servers?: readonly AsyncApiReference[];
  readonly parameters?: Readonly<Record<string, Readonly<Record<string, never>>>>;
  readonly messages: Readonly<Record<string, AsyncApiReference>>;
  readonly bindings?: Json;
}

/** What a client and the gateway do with messages of a channel, seen from the gateway unless the view is the client's. */
export interface AsyncApiOperation {
  readonly action: "send" | "receive";
  readonly channel: AsyncApiReference;
  readonly title: string;
  readonly summary?: string;
  readonly description?: string;
  /** Any one of them lets a client in. */
  readonly security?: readonly (AsyncApiReference | SecurityDescription)[];
  readonly bindings?: Json;
  readonly messages: readonly AsyncApiReference[];
  /** What a request is answered with. */
  readonly reply?: { readonly channel: AsyncApiReference; readonly messages: readonly AsyncApiReference[] };
}

/** What a message looks like. */
export interface MessageDescription {
  readonly name: string;
  readonly title: string;
  readonly contentType?: string;
  readonly payload?: JsonSchema;
  readonly bindings?: Json;
}

/** A way to prove who one is. */
export type SecurityDescription = Readonly<Record<string, Json>>;

/** A JSON pointer to another place of the document. */
export interface AsyncApiReference {
  readonly $ref: string;
}

/** A reference to the value at a path of keys. */
export function referTo(...path: readonly string[]): AsyncApiReference {
  const escaped = path.map((key) => key.replaceAll("~", "~0").replaceAll("/", "~1"));
  return { $ref: `#/${escaped.join("/")}` };
}

/** A fresh key for a name of the document: `orders/{id}` gives `orders_id`, the second time `orders_id_2`. */
type ClaimKey = (name: string, fallback: string) => string;

/** Gives each key once. */
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
