// Finds values in a part of a document, both as written and as read by their schemas.

import type { Span } from "../source/source.ts";
import type { FieldNode, ObjectField } from "../trees/api.ts";
import { type DocumentNode, findEntry, findNode, findText } from "../trees/document.ts";
import { findField } from "../trees/fields.ts";

/** A value at one path of a document. */
export interface WrittenValue {
  /** The path from the part on, such as `server.ipAccessControl`. */
  readonly path: string;
  readonly keySpan: Span;
  /** The value as written, even if its schema refuses it. */
  readonly node: DocumentNode;
  /** The value as read by its schema; absent if the schema refuses it. */
  readonly field: FieldNode | undefined;
}

/** A value that may contain `enabled`. */
export interface WrittenBlock extends WrittenValue {
  readonly fields: ObjectField | undefined;
  /** Whether it contains `enabled: false`. */
  readonly isOff: boolean;
  /** Whether `enabled` is written. */
  readonly isStated: boolean;
  /** The place of `enabled` if it is written, otherwise of the whole block. */
  readonly stateSpan: Span;
  /** The value of `enabled` if it is a boolean. */
  readonly enabled: boolean | undefined;
}

/** Finds values of a part of a document. */
export interface PartReader {
  value(...path: readonly string[]): WrittenValue | undefined;
  block(...path: readonly string[]): WrittenBlock | undefined;
  /** Whether the value is `true`. */
  isOn(...path: readonly string[]): boolean;
}

/** Returns a reader for a part. `node`: its tree; `fields`: the same part read by its schema. */
export function createPartReader(node: DocumentNode | undefined, fields: FieldNode | undefined): PartReader {
  const value = (...path: readonly string[]): WrittenValue | undefined => {
    const entry = findEntry(findNode(node, ...path.slice(0, -1)), path.at(-1) ?? "");
    // `null` stands for a value that is not set, or the shape has been reported.
    if (entry === undefined || (entry.value.kind === "scalar" && entry.value.value === null))
      return undefined;
    return {
      path: path.join("."),
      keySpan: entry.keySpan,
      node: entry.value,
      field: findField(fields, ...path),
    };
  };
  return {
    value,
    block(...path) {
      const written = value(...path);
      return written && asBlock(written);
    },
    isOn: (...path) => booleanOf(findNode(node, ...path)) === true,
  };
}

function asBlock(written: WrittenValue): WrittenBlock {
  const { node, field } = written;
  const state = findNode(node, "enabled");
  const enabled = booleanOf(state);
  return {
    ...written,
    fields: field?.kind === "Object" ? field : undefined,
    enabled,
    isOff: enabled === false,
    isStated: state !== undefined,
    stateSpan: state?.span ?? node.span,
  };
}

/** Returns the boolean value of a node. */
export function booleanOf(node: DocumentNode | undefined): boolean | undefined {
  return node?.kind === "scalar" && typeof node.value === "boolean" ? node.value : undefined;
}

/** Whether a block contains `enabled: false`. */
export function isOff(node: DocumentNode | undefined): boolean {
  return booleanOf(findNode(node, "enabled")) === false;
}

/** A text in a document. */
export interface WrittenText {
  readonly text: string;
  readonly span: Span;
}

/** Returns the text of a node. */
export function textOf(node: DocumentNode | undefined): WrittenText | undefined {
  const text = findText(node);
  return node === undefined || text === undefined ? undefined : { text, span: node.span };
}

/** Returns the items of a node that is a list. */
export function itemsOf(node: DocumentNode | undefined): readonly DocumentNode[] {
  return node?.kind === "list" ? node.items : [];
}

/** Returns the entries of a node that is a map. */
export function entriesOf(node: DocumentNode | undefined) {
  return node?.kind === "map" ? node.entries : [];
}

/** Returns a function that creates a value on first use and caches it. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
