// Definitions as clients send and receive them.

import { hash } from "node:crypto";
import { boundaryOf, parseMultipart } from "../../runtime/message/multipart.ts";
import { refusal } from "../../runtime/rest/answers.ts";
import type { TextBody } from "../../runtime/rest/operation.ts";

/** The media type of definitions, and its alias in the vendor's spelling. */
const ownTypes = ["application/vnd.gw.streams.oas", "application/vnd.tyk.streams.oas"];
const jsonTypes = [...ownTypes.map((type) => `${type}+json`), "application/json"];
const yamlTypes = [
  ...ownTypes.map((type) => `${type}+yaml`),
  "application/yaml",
  "application/x-yaml",
  "text/yaml",
  "text/x-yaml",
];

/** A definition as a request body. */
export const definitionBody: TextBody = {
  description:
    "An OpenAPI document with `x-gw-streaming`, as JSON or YAML, or as the only part of a form. It is stored as sent.",
  types: [...ownTypes, ...jsonTypes, ...yamlTypes, "multipart/form-data"],
};

export type DefinitionFormat = "json" | "yaml";

/** The text of a definition and its format. */
export interface SentDefinition {
  readonly text: string;
  readonly format: DefinitionFormat;
}

/**
 * Reads a definition from a body, or from the file in a form. If the media type does not determine the format, a text
 * that begins with `{` is JSON. Throws 400 if a form does not consist of exactly one part.
 */
export function readSent(text: string, contentType = ""): SentDefinition {
  const boundary = boundaryOf(contentType);
  return boundary === undefined ? readText(text, contentType) : readForm(text, boundary);
}

function readForm(text: string, boundary: string): SentDefinition {
  const [file, ...others] = parseMultipart(Buffer.from(text), boundary) ?? [];
  if (file === undefined || others.length > 0) throw refusal(400, "A form has one part: the definition.");
  return readText(file.content.toString(), file.contentType);
}

function readText(text: string, contentType: string): SentDefinition {
  const [type = ""] = contentType.split(";", 1);
  const name = type.trim().toLowerCase();
  const isYaml = yamlTypes.includes(name) || (!jsonTypes.includes(name) && !/^\s*\{/.test(text));
  return { text, format: isYaml ? "yaml" : "json" };
}

/** Returns the media type of responses with a definition. */
export function typeOf(format: DefinitionFormat): string {
  return format === "json" ? "application/vnd.gw.streams.oas" : "application/yaml";
}

/** Returns the hexadecimal SHA-256 digest of a text. */
export function digestOf(text: string): string {
  return hash("sha256", text, "hex");
}

/** Returns the entity tag of a version. It differs between two versions with the same text. */
export function versionTag(version: number, digest: string): string {
  return `"${version}-${digest.slice(0, 32)}"`;
}
