import type { FormatName } from "./formats/formats.ts";

/** What a schema file may say: the part of JSON Schema 2020-12 used here, and our annotations (`x-…`). */
export interface Schema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly title?: string;
  readonly description?: string;
  readonly type?: SchemaType | readonly SchemaType[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly pattern?: string;
  readonly format?: "regex";
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;

  /** What the text is besides text: a mapping script, a bare query, or text that takes `${! … }`. */
  readonly "x-text"?: "mapping" | "query" | "interpolated";
  /** What of the text comes from a message is encoded by where it stands: in an address, or in parameters of a header. */
  readonly "x-encoded"?: Encoding;
  /**
   * On a mapping: what `root` begins as. `empty`: nothing, and the message is
   * empty where nothing is assigned; `message`: the document itself, which `this` is too; `origin`: the
   * document a branch began with, while `this` is what came of it.
   */
  readonly "x-root"?: "empty" | "origin" | "message";
  /** On a mapping: what its result is, whatever the message. */
  readonly "x-gives"?: "array";
  /** On a mapping: the runtime knows which texts are its literals, to distinguish them from those of messages. */
  readonly "x-written-texts"?: boolean;
  /** On a pattern: it is one where this other field has this value, and a plain text elsewhere. */
  readonly "x-pattern-when"?: Readonly<Record<string, string>>;
  /** Go duration text in documents, milliseconds in plan and runtime. */
  readonly "x-unit"?: "duration";
  /** On a duration: dates are computed with it and no timer waits for it, so that it may be years. */
  readonly "x-dates"?: boolean;
  /** The label of a resource of that kind; on a duration, the label may stand in its place. */
  readonly "x-resource"?: "cache" | "rate_limit";
  /** It names something that a set declares; on an object, its keys do. */
  readonly "x-names"?: "policy" | "api";
  /** On a duration: an empty text stands for 0. */
  readonly "x-empty"?: boolean;
  /** On a cache: it answers at once, so that mappings can use it. */
  readonly "x-sync"?: boolean;
  /** Holds a component of that role, which has its own schema. */
  readonly "x-component"?: "input" | "output" | "processor" | "scanner" | "buffer" | "cache" | "rate_limit";
  /** On a component: the runtime is given how to make it, as it may have to be made more than once. */
  readonly "x-factory"?: boolean;
  /**
   * On a block or a text that only some gateways need code for: the runtime is given what the function of this name
   * makes of it, so that other gateways carry none of that code.
   */
  readonly "x-made-by"?: MakerName;
  /**
   * On a fixed choice: for whatever is not the default, the runtime is given the function of this name instead of a word,
   * so that other gateways carry none of its code.
   */
  readonly "x-brings"?: BroughtName;
  readonly "x-secret"?: boolean;
  /** The path of an endpoint, and what it serves. */
  readonly "x-route"?: "http" | "websocket";
  /** This property is another spelling of that one. */
  readonly "x-alias"?: string;
  /** On a list: one text may hold several items, separated by commas. */
  readonly "x-commas"?: boolean;
  /** On an object with one field of that name: a bare list is the value of that field. */
  readonly "x-shorthand"?: string;
  /** Fields the reference engine has and we do not, yet. */
  readonly "x-unsupported"?: readonly string[];
  /** Fields the reference engine has and a gateway never will, each with why, in a clause that follows "as". */
  readonly "x-refused"?: Readonly<Record<string, string>>;
  /** Fields the reference engine has that change nothing here, each with why, in a clause that follows "as". */
  readonly "x-without-effect"?: Readonly<Record<string, string>>;
  /** On a component: what it does otherwise than that of the reference engine, each in a clause, for the compatibility guide. */
  readonly "x-differences"?: readonly string[];
  /** The values of `enum`, or of a switch, that work; the others are known and not supported yet. */
  readonly "x-supported"?: readonly (string | number | boolean)[];
  /** Known and typed, but without effect yet. */
  readonly "x-reserved"?: boolean;
  /** Has to be known when the gateway is built, whose environment `${NAME}` is read from. */
  readonly "x-fixed"?: boolean;
  /** On an output: what of a message's metadata no other field filters goes along with it. */
  readonly "x-sends-metadata"?: boolean;
  /** Read when a connection is opened, before there is any message. */
  readonly "x-before-messages"?: boolean;
  /** The form of the text, of those in `formats/`; on an object, `x-key-format` is that of its keys. */
  readonly "x-format"?: FormatName;
  readonly "x-key-format"?: FormatName;
  /** The text is a regular expression of that engine. */
  readonly "x-regexp"?: "re2";
  /** Fields beside it without which this one does nothing. */
  readonly "x-needs"?: readonly string[];
  /** Values that other fields beside it have to have, as written or by default, for this one to do anything. */
  readonly "x-only-with"?: Readonly<Record<string, string | number | boolean>>;
  /** Fields beside it that do nothing while this one is there. */
  readonly "x-instead-of"?: readonly string[];
  /** On an object: fields of which at least one has to be there. */
  readonly "x-one-of"?: readonly string[];
  /** On an object: nothing in it has an effect without `enabled`. */
  readonly "x-switched"?: boolean;
  /**
   * On an object with `enabled`: a protection, which applies where it is filled in, unless `enabled` is false. Names the
   * fields that say what is protected.
   */
  readonly "x-protection"?: readonly string[];
  /**
   * On an object: tools for other gateways write out every block that they know. One of a name that is unknown here and with
   * `enabled: false` asks for nothing.
   */
  readonly "x-written-out"?: boolean;
  /** On a list: what is allowed. An empty one allows nothing. */
  readonly "x-allow-list"?: boolean;
  /** A number or duration that makes no sense above that of the field of this name beside it. */
  readonly "x-at-most"?: string;
  /** A number or duration that cannot work unless it is below that of the field of this name beside it. */
  readonly "x-less-than"?: string;
  /** On a duration: how long one message may be held up here before the component gives up on it. */
  readonly "x-holds-up"?: boolean;
  /** The object says what replies to the input's requests look like: its queries read the messages that become replies. */
  readonly "x-replies"?: boolean;
  /** The text is the path of a file on the machine that the gateway runs on. */
  readonly "x-file"?: boolean;
  /**
   * The text names something that all clients of a broker share: a consumer group, a queue, a client. With `beginning`, such
   * names begin with the text, or with anything where it is empty.
   */
  readonly "x-shared-name"?: true | "beginning";
  /**
   * What it does to the machine the gateway runs on. `allow_unsafe` has to name it: the component, or on a field
   * the field.
   */
  readonly "x-unsafe"?: "reads files" | "writes files" | "runs commands" | "opens a listener";
  /** On an object that is `x-unsafe`: the field with the program that it runs. `allow_unsafe` has to name both: `command:sed`. */
  readonly "x-unsafe-program"?: string;
  /** On a choice: the values that reach the machine, each with what it does; `allow_unsafe` has to name the value. */
  readonly "x-unsafe-values"?: Readonly<Record<string, NonNullable<Schema["x-unsafe"]>>>;
  /** The path of a file whose text becomes the value of that field when the gateway is built. */
  readonly "x-read-into"?: string;
  /** Folders of `.proto` files whose compiled schema, in Base64, becomes the value of that field when the gateway is built. */
  readonly "x-read-protobuf-into"?: string;
  /** On an input: the metadata it always sets. Headers and the like come besides. */
  readonly "x-metadata"?: Readonly<Record<string, MetadataSchema>>;
  /** What `pattern` asks for, in words that follow "takes". */
  readonly "x-expects"?: string;
}

/** What a text is, in which values are encoded by where they stand. */
export type Encoding = "url" | "parameters";

/** Functions of the runtime that make something of a block. */
export type MakerName =
  | "name-test"
  | "host-test"
  | "oauth"
  | "client-credentials"
  | "basic-credentials"
  | "signed-token"
  | "proxy"
  | "cors"
  | "path-test"
  | "password-test"
  | "smtp-mailer"
  | "client-authority"
  | "portal-accounts"
  | "portal-sign-on"
  | "msk-token";

/** Functions of the runtime that a choice brings along. */
export type BroughtName =
  | "broadcast"
  | "resumable-broadcast"
  | "acknowledged-client"
  | "portal-page"
  | "key-usage"
  | "authorization-endpoint"
  | "device-authorization";

/** A key of the metadata that an input gives its messages. */
export interface MetadataSchema {
  readonly type: "string" | "integer" | "number" | "boolean" | "timestamp";
  /** A field of the input whose texts are all the values there are, unless one of them is a pattern. */
  readonly from?: string;
  /** Only what of those texts stands before this. */
  readonly before?: string;
}

export type SchemaType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/** Every keyword above that JSON Schema does not know; validators ignore them. */
export const annotations = [
  "x-text",
  "x-encoded",
  "x-written-texts",
  "x-pattern-when",
  "x-root",
  "x-gives",
  "x-unit",
  "x-dates",
  "x-resource",
  "x-names",
  "x-empty",
  "x-sync",
  "x-component",
  "x-factory",
  "x-made-by",
  "x-brings",
  "x-secret",
  "x-route",
  "x-alias",
  "x-commas",
  "x-shorthand",
  "x-unsupported",
  "x-refused",
  "x-without-effect",
  "x-differences",
  "x-supported",
  "x-reserved",
  "x-fixed",
  "x-format",
  "x-key-format",
  "x-needs",
  "x-only-with",
  "x-instead-of",
  "x-one-of",
  "x-switched",
  "x-protection",
  "x-written-out",
  "x-allow-list",
  "x-regexp",
  "x-at-most",
  "x-less-than",
  "x-holds-up",
  "x-replies",
  "x-unsafe",
  "x-unsafe-program",
  "x-unsafe-values",
  "x-file",
  "x-read-into",
  "x-read-protobuf-into",
  "x-shared-name",
  "x-metadata",
  "x-sends-metadata",
  "x-before-messages",
  "x-expects",
] as const satisfies readonly (keyof Schema)[];
