// Combines the OpenAPI part of one text with the extensions of another, to replace the description of an API.

import { applyEdits, findNodeAtLocation, modify, type ParseError, parseTree } from "jsonc-parser";
import { type Document, isMap, parseDocument } from "yaml";
import { refusal } from "../../runtime/rest/answers.ts";
import type { SentDefinition } from "./sent.ts";

/** The names of the extensions, including aliases. */
const extensions = ["x-gw-streaming", "x-gw-api-gateway", "x-tyk-streaming", "x-tyk-api-gateway"];

/** A value to set, and its path. */
export interface DefinitionSetting {
  readonly path: readonly string[];
  readonly value: string | boolean;
}

/**
 * Returns `sent` with the extensions of `stored`, as they were written there, and with `settings` applied. The result
 * is JSON if both are. Throws a `refusal` (400) if `sent` is not an OpenAPI description, or contains extensions.
 */
export function patchDescription(
  stored: SentDefinition,
  sent: SentDefinition,
  settings: readonly DefinitionSetting[],
): SentDefinition {
  return stored.format === "json" && sent.format === "json"
    ? { format: "json", text: patchJson(stored.text, sent.text, settings) }
    : { format: "yaml", text: patchYaml(stored.text, sent.text, settings) };
}

/** Combines the texts instead of the values, so that numbers keep their spelling. */
function patchJson(stored: string, sent: string, settings: readonly DefinitionSetting[]): string {
  const errors: ParseError[] = [];
  const target = parseTree(sent, errors);
  if (errors.length > 0 || target?.type !== "object") throw refusal(400, "Request body malformed.");
  if (extensions.some((name) => findNodeAtLocation(target, [name]) !== undefined)) throw extended();
  const source = parseTree(stored);
  const members = extensions.flatMap((name) => {
    const value = source && findNodeAtLocation(source, [name]);
    const member = value?.parent;
    return member === undefined ? [] : [stored.slice(member.offset, member.offset + member.length)];
  });
  const isEmpty = (target.children ?? []).length === 0;
  const begin = target.offset + 1;
  const added = members.map((member) => `\n  ${member}`).join(",");
  let text = `${sent.slice(0, begin)}${added}${isEmpty ? "" : ","}${sent.slice(begin)}`;
  for (const { path, value } of settings) {
    const formattingOptions = { insertSpaces: true, tabSize: 2 };
    text = applyEdits(
      text,
      modify(text, [spelledIn(text, path), ...path.slice(1)], value, { formattingOptions }),
    );
  }
  return text;
}

function patchYaml(stored: string, sent: string, settings: readonly DefinitionSetting[]): string {
  const [source, target] = [read(stored), read(sent)];
  if (extensions.some((name) => target.has(name))) throw extended();
  for (const name of extensions) {
    if (source.has(name)) target.set(target.createNode(name), withoutAliases(source, name));
  }
  for (const { path, value } of settings) {
    target.setIn(
      [extensions.find((name) => target.has(name) && isAlias(name, path)) ?? path[0], ...path.slice(1)],
      value,
    );
  }
  return target.toString({ lineWidth: 0 });
}

/** Returns an extension without aliases, whose anchors may be in the part that is omitted. */
function withoutAliases(source: Document, name: string): unknown {
  const isPlain = !/(^|[\s[{,:-])[&*][^\s]/m.test(source.toString());
  return isPlain ? source.get(name, true) : source.createNode(source.toJS()[name]);
}

function read(text: string): Document {
  const document = parseDocument(text, { intAsBigInt: true });
  if (document.errors.length > 0 || !isMap(document.contents)) throw refusal(400, "Request body malformed.");
  return document;
}

/** Returns the name of the extension as it is spelled in the text. */
function spelledIn(text: string, [own = ""]: readonly string[]): string {
  const root = parseTree(text);
  const alias = own.replace(/^x-gw-/, "x-tyk-");
  return root && findNodeAtLocation(root, [alias]) !== undefined ? alias : own;
}

function isAlias(name: string, [own = ""]: readonly string[]): boolean {
  return name === own || name === own.replace(/^x-gw-/, "x-tyk-");
}

function extended(): Error {
  return refusal(400, "The payload should not contain x-gw-api-gateway or x-gw-streaming.");
}
