// What a set of documents says, as trees: the hand-over from `parse` to `check` and `plan`.

import type { Component } from "../../schemas/component.ts";
import type { Limit } from "../../schemas/limits.ts";
import type { Encoding } from "../../schemas/schema.ts";
import type { FileRange } from "../diagnostics/fixes/file-range.ts";
import type { SourceFile, Span } from "../source/source.ts";
import type { Dialect } from "./dialect.ts";
import type { DocumentNode, MapNode } from "./document.ts";
import type { Expression, Mapping, QueryPart, Template } from "./mapping.ts";
import type { EnvironmentVariable, RequestPart } from "./named-variables.ts";

/** A set: the process settings and every API in it. */
export interface ApiSet {
  /** The `gateway.yaml`, where the set was named by one. */
  readonly settings?: MapNode;
  readonly settingsFile?: SourceFile;
  /** The settings read by their schema: `readSettings` of parse/streams. */
  readonly settingsFields?: ObjectField;
  readonly apis: readonly ApiDocument[];
  /** Every file of the set, those included that are only referred to. */
  readonly documents: readonly LoadedDocument[];
  /** What its documents may use. */
  readonly dialect: Dialect;
}

/** A file and its tree. */
export interface LoadedDocument {
  readonly file: SourceFile;
  /** Without `x-gw-ignore` entries. */
  readonly root: DocumentNode;
  readonly ignores: readonly IgnoreEntry[];
}

/** An `x-gw-ignore` and the parts of the document it counts for. */
export interface IgnoreEntry {
  readonly value: DocumentNode;
  readonly keySpan: Span;
  /** Whether its object holds nothing else. */
  readonly isOnly: boolean;
  /** The object that holds it, with its key; several where YAML merges the entry into others. */
  readonly covers: readonly FileRange[];
}

/** Where the references of a document lead. */
export interface References {
  /** Whether it is known that none leads to another file. */
  readonly isWithinDocument: boolean;
  /** What a node stands for: itself, or what its `$ref` leads to in the end; `undefined` if nowhere. */
  resolve(node: DocumentNode): DocumentNode | undefined;
  /** The value under a path of keys, following references at every step. */
  find(node: DocumentNode | undefined, ...path: readonly string[]): DocumentNode | undefined;
}

/** One API document, OpenAPI or a bare stream document. */
export interface ApiDocument {
  readonly file: SourceFile;
  /** The document as written: `$ref`s stand in it unresolved, and `references` knows where they lead. */
  readonly root: MapNode;
  readonly references: References;
  /** `x-gw-api-gateway.info.id`, else the file name without its ending. */
  readonly id: string;
  /** Where the id was written; the start of the document where it was not. */
  readonly idSpan: Span;
  /** `3.0`, `3.1`, `3.2`; absent for a bare stream document. */
  readonly openapi?: "3.0" | "3.1" | "3.2";
  /**
   * The value of `x-gw-streaming`, under whichever spelling, with references put in place but for `schema`
   * values. A bare document is `streams: { stream: … }`. Streams with broken references are left out.
   */
  readonly streaming?: MapNode;
  /** The value of `x-gw-api-gateway`, in the same way. */
  readonly gateway?: MapNode;
  /** The same read by its schema: `readGatewayExtension` of parse/streams. */
  readonly gatewayFields?: ObjectField;
  readonly streams: readonly StreamNode[];
}

/** One entry of `x-gw-streaming.streams`; a bare document is one stream named `stream`. */
export interface StreamNode {
  readonly name: string;
  readonly nameSpan: Span;
  readonly node: MapNode;
  readonly input?: ComponentNode;
  /** The pipeline: what stands beside the input, `pipeline.processors`, and what stands beside the output. */
  readonly processors: readonly ComponentNode[];
  /** How many of them stand beside the input, and beside the output; absent where none do. */
  readonly beside?: { readonly input: number; readonly output: number };
  readonly output?: ComponentNode;
  /** `pipeline.threads`, where it is a bound. */
  readonly threads?: number;
  /** `error_handling`, where written. */
  readonly errorHandling?: MapNode;
  /** `error_handling.output`. */
  readonly deadLetter?: ComponentNode;
  /** What its components share, by label; absent where nothing is declared. */
  readonly resources?: readonly ResourceNode[];
}

/** One entry of `cache_resources`, `input_resources` and their like. */
export interface ResourceNode {
  readonly role: ComponentRole;
  /** Unique within the stream; what has no label, or one that is taken, can be named by nothing. */
  readonly label: string | undefined;
  readonly labelSpan: Span;
  /**
   * An input, processor or output stands, too, in every place that names it. Absent where none could be read,
   * which was reported.
   */
  readonly component?: ComponentNode;
  /** Whether an input, processor or output is named anywhere; whether others are is seen by the check. */
  readonly isPlaced: boolean;
}

export type ComponentRole = "input" | "processor" | "output" | "scanner" | "buffer" | ResourceRole;

/** What components share, rather than hold. */
export type ResourceRole = "cache" | "rate_limit";

/** `kafka: { addresses: […] }`: a component where one is expected. */
export interface ComponentNode {
  readonly role: ComponentRole;
  /**
   * The name in its own spelling (`kafka`); unknown names never become components. Empty for a step of processors
   * that could not be read, which was reported: its effect on messages is unknown.
   */
  readonly name: string;
  readonly nameSpan: Span;
  /** What is known of the component; absent where `name` is empty. */
  readonly descriptor?: Component;
  /** The object that holds the component, its `label` and what else stands beside it. */
  readonly node: MapNode;
  readonly label?: string;
  /** What is configured, field by field, as the component's schema says. */
  readonly config: FieldNode;
  /** `schema:` beside the component, for messages that pass it. */
  readonly schema?: DocumentNode;
  /**
   * `processors:` beside an input or output inside another component. Those beside the ends of a stream are the
   * first and last of its pipeline.
   */
  readonly processors?: readonly ComponentNode[];
  /** It is not in the document: it holds the input and the buffer of a stream, which are written side by side. */
  readonly isImplied?: true;
}

/**
 * A configured value read by its schema: the schema decides what text is a mapping, what takes
 * interpolation and where components nest.
 */
export type FieldNode =
  | LiteralField
  | EnvironmentField
  | DurationField
  | MappingField
  | QueryField
  | TemplateField
  | ComponentField
  | ResourceField
  | ListField
  | ObjectField;

interface FieldBase {
  readonly span: Span;
}

/** A plain value. */
export interface LiteralField extends FieldBase {
  readonly kind: "Literal";
  readonly value: string | number | bigint | boolean | null;
}

/** A scalar with `${VAR}`, `${VAR:default}`, `${file:PATH}` or `$gw_context.name` parts. */
export interface EnvironmentField extends FieldBase {
  readonly kind: "Environment";
  /** What the field takes, and so what the parts together must read as. */
  readonly type: "string" | "integer" | "number" | "boolean" | "duration" | "list";
  readonly parts: readonly EnvironmentPart[];
  /** What the value, or each item of a list, has to meet besides. */
  readonly limit?: Limit | undefined;
  /** As `TemplateField.encoded`. */
  readonly encoded?: EncodedText | undefined;
  /** It is an item of a list whose texts are split at commas. */
  readonly isSplit?: true;
}

export type EnvironmentPart =
  | { readonly kind: "Text"; readonly text: string }
  | EnvironmentVariable
  | { readonly kind: "File"; readonly path: string; readonly span: Span }
  | RequestPart;

/** What the parts read when every variable has its default; `undefined` when one has none. */
export function textOfDefaults(parts: readonly EnvironmentPart[]): string | undefined {
  let text = "";
  for (const part of parts) {
    const piece = part.kind === "Text" ? part.text : part.kind === "Variable" ? part.fallback : undefined;
    if (piece === undefined) return undefined;
    text += piece;
  }
  return text;
}

/** `5s`, as milliseconds. */
export interface DurationField extends FieldBase {
  readonly kind: "Duration";
  readonly milliseconds: number;
}

/** A script: `root.a = this.b`. */
export interface MappingField extends FieldBase {
  readonly kind: "Mapping";
  readonly mapping: Mapping;
  /** What `root` is before the first assignment: nothing (of the message, or of an empty one), the message, or the one that a branch started from. */
  readonly startsFrom: "nothing" | "empty" | "message" | "origin";
  /** The field, where its result has to be an array. */
  readonly givesArray?: string;
}

/** A bare query, such as a `check`. */
export interface QueryField extends FieldBase {
  readonly kind: "Query";
  readonly query: Expression;
}

/** Text with at least one `${! query }` part. */
export interface TemplateField extends FieldBase {
  readonly kind: "Template";
  readonly template: Template;
  /** The same with `${VAR}` and `${file:PATH}` taken out of the text around the queries. */
  readonly parts: readonly (EnvironmentPart | QueryPart)[];
  /** What the text has to be besides, once it is computed. */
  readonly limit?: Limit | undefined;
  /** Present where values of messages and requests are encoded by their position in the text. */
  readonly encoded?: EncodedText | undefined;
}

/**
 * What is known of an interpolated text. `fixed`: the document and the operator alone decide it. `queryEscaped`,
 * `pathEscaped`: what comes from elsewhere is percent-encoded for that part of an address. `requestPath`: the path of a
 * request, encoded as it came. `value`: anything.
 */
export type ValueOrigin = "fixed" | "queryEscaped" | "pathEscaped" | "requestPath" | "value";

/** How a text is encoded, and what is known of each of its parts. */
export interface EncodedText {
  readonly as: Encoding;
  readonly origins: readonly ValueOrigin[];
}

/** A nested component: a child of `broker`, a processor of `branch`. */
export interface ComponentField extends FieldBase {
  readonly kind: "Component";
  readonly component: ComponentNode;
}

/** The label of a cache or rate limit that the stream declares. */
export interface ResourceField extends FieldBase {
  readonly kind: "Resource";
  readonly role: ResourceRole;
  readonly label: string;
  /** A duration could stand in its place. */
  readonly mayBeDuration: boolean;
}

export interface ListField extends FieldBase {
  readonly kind: "List";
  readonly items: readonly FieldNode[];
}

export interface ObjectField extends FieldBase {
  readonly kind: "Object";
  readonly fields: readonly { readonly name: string; readonly nameSpan: Span; readonly value: FieldNode }[];
  /** Keys that stand there and are in no field: unknown ones, and those of values that do not fit. All are reported. */
  readonly unread?: readonly string[];
}
