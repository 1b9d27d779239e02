// A part of a document in, the values in it out: as they were written, and as their schemas read them.

import type { Span } from "../source/source.ts";
import type { FieldNode, ObjectField } from "../trees/api.ts";
import { type DocumentNode, findEntry, findNode } from "../trees/document.ts";
import { findField } from "../trees/fields.ts";

/** A value at one path of a document. */
export interface WrittenValue {
  /** `server.ipAccessControl`, from the part on. */
  readonly path: string;
  readonly keySpan: Span;
  /** As it was written, also where its schema refuses it. */
  readonly node: DocumentNode;
  /** As its schema reads it; absent where that refuses it. */
  readonly field: FieldNode | undefined;
}

/** A value that may hold `enabled`. */
export interface WrittenBlock extends WrittenValue {
  readonly fields: ObjectField | undefined;
  /** Whether it holds `enabled: false`. */
  readonly isOff: boolean;
  /** Where `enabled` is written, else the whole. */
  readonly stateSpan: Span;
  /** `enabled`, where it is a boolean. */
  readonly enabled: boolean | undefined;
}

/** Finds values of a part of a document. */
export interface PartReader {
  value(...path: readonly string[]): WrittenValue | undefined;
  block(...path: readonly string[]): WrittenBlock | undefined;
  /** Whether the value is `true`. */
  isOn(...path: readonly string[]): boolean;
}

/** Reads a part of which `node` is the tree, and `fields` the same read by its schema. */
export function createPartReader(node: DocumentNode | undefined, fields: FieldNode | undefined): PartReader {
  const value = (...path: readonly string[]): WrittenValue | undefined => {
    const entry = findEntry(findNode(node, ...path.slice(0, -1)), path.at(-1) ?? "");
    return (
      entry && {
        path: path.join("."),
        keySpan: entry.keySpan,
        node: entry.value,
        field: findField(fields, ...path),
      }
    );
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
    stateSpan: state?.span ?? node.span,
  };
}

/** The boolean that a node holds. */
export function booleanOf(node: DocumentNode | undefined): boolean | undefined {
  return node?.kind === "scalar" && typeof node.value === "boolean" ? node.value : undefined;
}

/** The items of a node that is a list. */
export function itemsOf(node: DocumentNode | undefined): readonly DocumentNode[] {
  return node?.kind === "list" ? node.items : [];
}

/** The entries of a node that is a map. */
export function entriesOf(node: DocumentNode | undefined) {
  return node?.kind === "map" ? node.entries : [];
}

/** A value that is made when it is first asked for, and kept. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
