// Describes components, fields, functions and methods as Markdown for editors.

import type { Hover, MarkupContent } from "vscode-languageserver";
import type { Builtin } from "../../compiler/builtins/builtin.ts";
import { signatureOf } from "../../compiler/builtins/describe.ts";
import type { Component } from "../../schemas/component.ts";
import { fieldNotes, fieldType } from "../../schemas/field-text.ts";
import type { Schema } from "../../schemas/schema.ts";

/** A hover in Markdown. */
export interface MarkdownHover extends Hover {
  readonly contents: MarkupContent;
}

/** Returns a text as a code block of a language. */
export function codeBlock(text: string, language = "sluice"): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** Describes a component: what it does, and why it may fail. */
export function describeComponent({ role, name, schema, ...descriptor }: Component): string {
  const reason =
    "mayFail" in descriptor && typeof descriptor.mayFail === "string" ? descriptor.mayFail : undefined;
  return [
    `**\`${name}\`** ${role.replace("_", " ")}`,
    schema.description ?? "",
    ...(reason === undefined ? [] : [`May fail: ${reason}.`]),
    ...examplesOf(schema),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Describes a field: its type, its default and its meaning. */
export function describeField(name: string, schema: Schema, isRequired: boolean): string {
  const notes = [
    ...(isRequired ? ["Required."] : []),
    ...(schema.default === undefined ? [] : [`Default: \`${JSON.stringify(schema.default)}\`.`]),
    ...fieldNotes(schema),
    ...(schema["x-unsafe"] === undefined
      ? []
      : [`It ${schema["x-unsafe"]}: \`allow_unsafe\` has to name it.`]),
  ];
  return [
    `**\`${name}\`** ${fieldType(schema)}`,
    schema.description ?? "",
    notes.join(" "),
    ...examplesOf(schema),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

function examplesOf({ examples = [] }: Schema): readonly string[] {
  return examples.length === 0
    ? []
    : [
        codeBlock(
          examples.map((each) => (typeof each === "string" ? each : JSON.stringify(each))).join("\n"),
          "yaml",
        ),
      ];
}

/** Describes a function or method: its signature and what it does. */
export function describeBuiltin(builtin: Builtin): string {
  const notes = [
    ...(builtin.deprecated
      ? [`Deprecated${builtin.successor === undefined ? "" : `: use \`${builtin.successor.name}\``}.`]
      : []),
    ...(builtin.capability === "files" ? ["Only where `allow_unsafe` names it."] : []),
    builtin.canFail ? "It can fail." : "It never fails.",
  ];
  return [codeBlock(signatureOf(builtin)), builtin.doc, notes.join(" ")].join("\n\n");
}
