import type { FormatName } from "./formats/formats.ts";

/** The keywords of schema files: the part of JSON Schema 2020-12 used here, and this project's annotations (`x-…`). */
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

  /** The language of the text: a mapping script, a bare query, or text with `${! … }`. */
  readonly "x-text"?: "mapping" | "query" | "interpolated";
  /** The text is a template of another language, in which `{{` is no mistake. */
  readonly "x-templated"?: boolean;
  /** How values from messages are encoded, depending on their position: in an address, or in parameters of a header. */
  readonly "x-encoded"?: Encoding;
  /**
   * On a mapping: the initial value of `root`. `empty`: nothing, and the message is
   * empty if nothing is assigned; `message`: the document itself, which is also `this`; `origin`: the
   * document with which a branch began, while `this` is the result of the branch; `value`: nothing, and the mapping is a
   * function of a value, which is `this`, instead of a message.
   */
  readonly "x-root"?: "empty" | "origin" | "message" | "value";
  /** On a mapping: the required type of its result. */
  readonly "x-gives"?: "array";
  /** On a mapping: whether the runtime receives its literal texts, to distinguish them from texts of messages. */
  readonly "x-written-texts"?: boolean;
  /** On a pattern: it is a pattern only if the other field has this value, otherwise a plain text. */
  readonly "x-pattern-when"?: Readonly<Record<string, string>>;
  /** A Go duration in documents; milliseconds in the plan and the runtime. */
  readonly "x-unit"?: "duration";
  /** On a duration: it is used to compute dates, not for timers, so that it may be years. */
  readonly "x-dates"?: boolean;
  /** The label of a resource of that kind. On a duration, the label may be written instead. */
  readonly "x-resource"?: "cache" | "rate_limit";
  /** The value names something that a set declares; on an object, its keys do. */
  readonly "x-names"?: "policy" | "api";
  /** On a duration: an empty text stands for 0. */
  readonly "x-empty"?: boolean;
  /** On a cache: it responds synchronously, so that mappings can use it. */
  readonly "x-sync"?: boolean;
  /** The value is a component of that role, which has its own schema. */
  readonly "x-component"?: "input" | "output" | "processor" | "scanner" | "buffer" | "cache" | "rate_limit";
  /** On a component: the runtime gets a factory for it, since it may have to create it more than once. */
  readonly "x-factory"?: boolean;
  /**
   * On a block or a text for which only some gateways need code: the runtime gets the result of the function with
   * this name, so that other gateways do not contain its code.
   */
  readonly "x-made-by"?: MakerName;
  /**
   * On a fixed choice: for a value that is not the default, the runtime gets the function with this name instead of a
   * word, so that other gateways do not contain its code.
   */
  readonly "x-brings"?: BroughtName;
  readonly "x-secret"?: boolean;
  /** The path of an endpoint, and its transport. */
  readonly "x-route"?: "http" | "websocket";
  /** The property is an alias of that one. */
  readonly "x-alias"?: string;
  /** On a list: one text may contain several items, separated by commas. */
  readonly "x-commas"?: boolean;
  /** On an object with a field of that name: a bare list is the value of that field. */
  readonly "x-shorthand"?: string;
  /** Fields of the reference engine that are not supported yet. */
  readonly "x-unsupported"?: readonly string[];
  /**
   * Fields of the reference engine that will never be supported, each with the reason, in a clause that follows "as".
   */
  readonly "x-refused"?: Readonly<Record<string, string>>;
  /** Fields of the reference engine that have no effect here, each with the reason, in a clause that follows "as". */
  readonly "x-without-effect"?: Readonly<Record<string, string>>;
  /** On a component: differences from the reference engine, each in a clause, for the compatibility guide. */
  readonly "x-differences"?: readonly string[];
  /** The values of `enum`, or of a switch, that are supported; the others are known but not supported yet. */
  readonly "x-supported"?: readonly (string | number | boolean)[];
  /** The field is known and typed, but has no effect yet. */
  readonly "x-reserved"?: boolean;
  /** The value must be known at build time; `${NAME}` reads the environment of the build. */
  readonly "x-fixed"?: boolean;
  /** On an output: it sends the metadata of a message that no other field filters. */
  readonly "x-sends-metadata"?: boolean;
  /** The value is read when a connection is opened, before there is any message. */
  readonly "x-before-messages"?: boolean;
  /** The format of the text, one of `formats/`; on an object, `x-key-format` is the format of its keys. */
  readonly "x-format"?: FormatName;
  readonly "x-key-format"?: FormatName;
  /** The text is a regular expression of that engine. */
  readonly "x-regexp"?: "re2";
  /** Fields of the same object without which this one has no effect. */
  readonly "x-needs"?: readonly string[];
  /** Values that other fields of the same object must have, written or by default, for this one to have an effect. */
  readonly "x-only-with"?: Readonly<Record<string, string | number | boolean>>;
  /** Fields of the same object that have no effect if this one is set. */
  readonly "x-instead-of"?: readonly string[];
  /** On an object: at least one of the fields must be set. */
  readonly "x-one-of"?: readonly string[];
  /** On an object: nothing in it has an effect without `enabled`. */
  readonly "x-switched"?: boolean;
  /**
   * On an object with `enabled`: a protection, which applies if it is configured, unless `enabled` is false. The
   * value lists the fields that configure it.
   */
  readonly "x-protection"?: readonly string[];
  /**
   * On an object: tools for other gateways write out every field that they know. An unknown block with `enabled: false`
   * has no effect and is accepted. A field with the zero value of its type counts as not set: one that is not supported
   * with `false`, 0, `null`, `""`, or a list or block of these, and an optional one with `null` or a zero that it does not
   * accept otherwise.
   */
  readonly "x-written-out"?: boolean;
  /** On a list: an allow list. An empty one allows nothing. */
  readonly "x-allow-list"?: boolean;
  /** A number or duration that should not exceed that of the named field of the same object. */
  readonly "x-at-most"?: string | readonly string[];
  /** A number or duration that must be less than that of the named field of the same object. */
  readonly "x-less-than"?: string;
  /** On a duration: how long one message may be delayed here before the component gives up on it. */
  readonly "x-holds-up"?: boolean;
  /** The object configures the replies to the input's requests: its queries read the messages that become replies. */
  readonly "x-replies"?: boolean;
  /** The text is the path of a file on the machine that runs the gateway. */
  readonly "x-file"?: boolean;
  /**
   * The text is a name that all clients of a broker share: of a consumer group, a queue, a client. With `beginning`,
   * such names begin with the text; if it is empty, they may begin with anything.
   */
  readonly "x-shared-name"?: true | "beginning";
  /**
   * The access to the gateway's machine. `allow_unsafe` has to name the component or, if the annotation is on a field,
   * the field.
   */
  readonly "x-unsafe"?:
    | "reads files"
    | "writes files"
    | "reads standard input"
    | "writes standard output"
    | "runs commands"
    | "opens a listener";
  /**
   * On an object with `x-unsafe`: the field with the program to run. `allow_unsafe` has to name both: `command:sed`.
   */
  readonly "x-unsafe-program"?: string;
  /**
   * On a choice: the values that access the machine, each with the kind of access; `allow_unsafe` has to name the
   * value.
   */
  readonly "x-unsafe-values"?: Readonly<Record<string, NonNullable<Schema["x-unsafe"]>>>;
  /** The path of a file whose text becomes the value of that field at build time. */
  readonly "x-read-into"?: string;
  /** The field is the path of such a file, whose text replaces it, if the named field of the same object is true. */
  readonly "x-read-if"?: string;
  /** Folders of `.proto` files whose compiled schema, in Base64, becomes the value of that field at build time. */
  readonly "x-read-protobuf-into"?: string;
  /** On an input: the metadata that it always sets, apart from headers and similar metadata. */
  readonly "x-metadata"?: Readonly<Record<string, MetadataSchema>>;
  /** On an input: its messages have no other metadata, such as headers of their senders. */
  readonly "x-sole-metadata"?: boolean;
  /** A description of `pattern`, in words that follow "takes". */
  readonly "x-expects"?: string;
}

/** The kind of text in which values are encoded according to their position. */
export type Encoding = "url" | "parameters";

/** Runtime functions that convert a block. */
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

/** Runtime functions that a choice requires. */
export type BroughtName =
  | "broadcast"
  | "resumable-broadcast"
  | "acknowledged-client"
  | "portal-page"
  | "key-usage"
  | "authorization-endpoint"
  | "device-authorization";

/** A metadata key that an input sets. */
export interface MetadataSchema {
  /** `unknown`: another type, or not on all messages. */
  readonly type: "string" | "integer" | "number" | "boolean" | "timestamp" | "unknown";
  /** All possible texts. */
  readonly enum?: readonly string[];
  /** A field of the input whose texts are all possible values, unless one of them is a pattern. */
  readonly from?: string;
  /** Use only the part of those texts before this separator. */
  readonly before?: string;
}

export type SchemaType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/** All of the above keywords that JSON Schema does not define. Validators ignore them. */
export const annotations = [
  "x-text",
  "x-templated",
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
  "x-read-if",
  "x-read-protobuf-into",
  "x-shared-name",
  "x-metadata",
  "x-sole-metadata",
  "x-sends-metadata",
  "x-before-messages",
  "x-expects",
] as const satisfies readonly (keyof Schema)[];
