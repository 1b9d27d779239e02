// The content of a set of documents as trees, which `parse` passes to `check` and `plan`.

import type { Component, ComponentRole, ResourceRole } from "../../schemas/component.ts";
import type { Limit } from "../../schemas/limits.ts";
import type { Encoding } from "../../schemas/schema.ts";
import type { FileRange } from "../diagnostics/fixes/file-range.ts";
import type { SourceFile, SourceText, Span } from "../source/source.ts";
import type { Dialect } from "./dialect.ts";
import type { DocumentNode, MapNode } from "./document.ts";
import type { Expression, Mapping, QueryPart, Template } from "./mapping.ts";
import type { EnvironmentVariable, RequestPart } from "./named-variables.ts";

/** A set: the process settings and every API in it. */
export interface ApiSet {
  /** The `gateway.yaml`, if the set was named by one. */
  readonly settings?: MapNode;
  readonly settingsFile?: SourceFile;
  /** The settings read by their schema: see `readSettings` in parse/streams. */
  readonly settingsFields?: ObjectField;
  readonly apis: readonly ApiDocument[];
  /** Every file of the set, including those that are only referred to. */
  readonly documents: readonly LoadedDocument[];
  /** The components and builtins that its documents may use. */
  readonly dialect: Dialect;
}

/** A file and its tree. */
export interface LoadedDocument {
  readonly file: SourceFile;
  /** The tree without `x-gw-ignore` entries. */
  readonly root: DocumentNode;
  readonly ignores: readonly IgnoreEntry[];
}

/** An `x-gw-ignore` entry and the parts of the document that it applies to. */
export interface IgnoreEntry {
  readonly value: DocumentNode;
  readonly keySpan: Span;
  /** Whether its object contains nothing else. */
  readonly isOnly: boolean;
  /** The object that contains it, with its key; several if YAML merges the entry into others. */
  readonly covers: readonly FileRange[];
}

/** The targets of the references of a document. */
export interface References {
  /** Whether no reference is known to lead to another file. */
  readonly isWithinDocument: boolean;
  /** Returns the node itself, or the final target of its `$ref`; `undefined` if it has no target. */
  resolve(node: DocumentNode): DocumentNode | undefined;
  /** Returns the direct target of its `$ref`, which may be a reference, too; `undefined` if it has none. */
  follow(node: DocumentNode): DocumentNode | undefined;
  /** Returns the root of the file that contains the node; `undefined` if it is none of a document. */
  rootOf(node: DocumentNode): DocumentNode | undefined;
  /** Returns the value at a path of keys, resolving references at every step. */
  find(node: DocumentNode | undefined, ...path: readonly string[]): DocumentNode | undefined;
}

/** One API document, OpenAPI or a bare stream document. */
export interface ApiDocument {
  readonly file: SourceFile;
  /** The document as written: `$ref`s are not resolved in it; use `references` to find their targets. */
  readonly root: MapNode;
  readonly references: References;
  /** `x-gw-api-gateway.info.id`, otherwise the file name without its ending. */
  readonly id: string;
  /** The place where the id is written, or the start of the document. */
  readonly idSpan: Span;
  /** `3.0`, `3.1`, `3.2`; absent for a bare stream document. */
  readonly openapi?: "3.0" | "3.1" | "3.2";
  /**
   * The value of `x-gw-streaming`, under either spelling, with references resolved except in `schema` values. For a
   * bare document it is `streams: { stream: … }`. Streams with broken references are left out.
   */
  readonly streaming?: MapNode;
  /** The value of `x-gw-api-gateway`, in the same way. */
  readonly gateway?: MapNode;
  /** The same part read by its schema: see `readGatewayExtension` in parse/streams. */
  readonly gatewayFields?: ObjectField;
  readonly streams: readonly StreamNode[];
}

/** One entry of `x-gw-streaming.streams`; a bare document is one stream named `stream`. */
export interface StreamNode {
  readonly name: string;
  readonly nameSpan: Span;
  readonly node: MapNode;
  readonly input?: ComponentNode;
  /** The pipeline: processors next to the input, `pipeline.processors`, and processors next to the output. */
  readonly processors: readonly ComponentNode[];
  /** How many of the processors are next to the input and next to the output; absent if none are. */
  readonly beside?: { readonly input: number; readonly output: number };
  readonly output?: ComponentNode;
  /** `pipeline.threads`, if it is a positive number. */
  readonly threads?: number;
  /** `error_handling`, if it is written. */
  readonly errorHandling?: MapNode;
  /** `error_handling.output`. */
  readonly deadLetter?: ComponentNode;
  /** The resources that its components share, by label; absent if none are declared. */
  readonly resources?: readonly ResourceNode[];
}

/** One entry of `cache_resources`, `input_resources` and their like. */
export interface ResourceNode {
  readonly role: ComponentRole;
  /** Unique within the stream. A resource without a label, or with a label that is taken, cannot be referenced. */
  readonly label: string | undefined;
  readonly labelSpan: Span;
  /**
   * The component. An input, processor or output also appears in every place that names it. Absent if it could not be
   * read, which was reported.
   */
  readonly component?: ComponentNode;
  /** Whether an input, processor or output is named anywhere. The check determines it for other resources. */
  readonly isPlaced: boolean;
}

/** `kafka: { addresses: […] }`: a component where one is expected. */
export interface ComponentNode {
  readonly role: ComponentRole;
  /**
   * The name in its own spelling (`kafka`). Unknown names never become components. Empty for a processor that could not
   * be read, which was reported: its effect on messages is unknown.
   */
  readonly name: string;
  readonly nameSpan: Span;
  /** The descriptor of the component; absent if `name` is empty. */
  readonly descriptor?: Component;
  /** The object that contains the component, its `label` and other keys next to it. */
  readonly node: MapNode;
  readonly label?: string;
  /** The configuration, field by field, as read by the component's schema. */
  readonly config: FieldNode;
  /** `schema:` next to the component, for messages that pass it. */
  readonly schema?: DocumentNode;
  /**
   * `processors:` next to an input or output inside another component. Those next to the ends of a stream are the first
   * and last of its pipeline.
   */
  readonly processors?: readonly ComponentNode[];
  /**
   * Set if the component is not in the document: it contains the input and the buffer of a stream, which are siblings
   * there.
   */
  readonly isImplied?: true;
}

/**
 * A configured value read by its schema, which decides which text is a mapping, which fields allow interpolation and
 * where components nest.
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
  /** The source of a text, for problems in a part of it. */
  readonly text?: SourceText;
}

/** A scalar with `${VAR}`, `${VAR:default}`, `${file:PATH}` or `$gw_context.name` parts. */
export interface EnvironmentField extends FieldBase {
  readonly kind: "Environment";
  /** The type of the field, as which the combined parts must be readable. */
  readonly type: "string" | "integer" | "number" | "boolean" | "duration" | "list";
  readonly parts: readonly EnvironmentPart[];
  /** An additional condition for the value, or for each item of a list. */
  readonly limit?: Limit | undefined;
  /** See `TemplateField.encoded`. */
  readonly encoded?: EncodedText | undefined;
  /** Set if it is an item of a list whose texts are split at commas. */
  readonly isSplit?: true;
}

export type EnvironmentPart =
  | { readonly kind: "Text"; readonly text: string }
  | EnvironmentVariable
  | { readonly kind: "File"; readonly path: string; readonly span: Span }
  | RequestPart;

/** Returns the text of the parts if every variable has its default; `undefined` if one has no default. */
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
  /**
   * The value of `root` before the first assignment: nothing (of the message, of an empty one, or of a value), the
   * message, or the message that a branch started from.
   */
  readonly startsFrom: "nothing" | "empty" | "message" | "origin" | "value";
  /** The name of the field, if its result has to be an array. */
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
  /** The same parts, with `${VAR}` and `${file:PATH}` extracted from the text around the queries. */
  readonly parts: readonly (EnvironmentPart | QueryPart)[];
  /** An additional condition for the computed text. */
  readonly limit?: Limit | undefined;
  /** Present if values of messages and requests are encoded by their position in the text. */
  readonly encoded?: EncodedText | undefined;
}

/**
 * The origin of an interpolated text. `fixed`: only the document and the operator determine it. `queryEscaped`,
 * `pathEscaped`: values from elsewhere are percent-encoded for that part of a URL. `requestPath`: the path of a
 * request, encoded as received. `value`: any other.
 */
export type ValueOrigin = "fixed" | "queryEscaped" | "pathEscaped" | "requestPath" | "value";

/** How a text is encoded, and the origin of each of its parts. */
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
  /** Whether a duration is also allowed in its place. */
  readonly mayBeDuration: boolean;
}

export interface ListField extends FieldBase {
  readonly kind: "List";
  readonly items: readonly FieldNode[];
}

export interface ObjectField extends FieldBase {
  readonly kind: "Object";
  readonly fields: readonly { readonly name: string; readonly nameSpan: Span; readonly value: FieldNode }[];
  /** Keys that are in no field: unknown ones, and those of values that do not fit. All have been reported. */
  readonly unread?: readonly string[];
}
