// What OpenAPI says of an API as a whole, as far as AsyncAPI has a place for it.

import type { ApiModel } from "../model/api.ts";
import { findNode, findText, type Json, type toJson } from "../trees/document.ts";
import type { AsyncApiDocument } from "./document.ts";

/** Bare stream documents say nothing of themselves. */
const unnumbered = "0.0.0";

/** Title and version are always there: the name of the API stands in for the title. */
export function describeInfo(api: ApiModel): AsyncApiDocument["info"] {
  const { root, title, name, id } = api;
  const license = licenseOf(api);
  const tags = findNode(root, "tags");
  const externalDocs = findNode(root, "externalDocs");
  return {
    title: title ?? name ?? id,
    version: findText(root, "info", "version") ?? unnumbered,
    ...textOf(api, "description"),
    ...textOf(api, "termsOfService"),
    ...pick(findNode(root, "info", "contact"), "contact", ["name", "url", "email"]),
    ...(license !== undefined && { license }),
    ...(tags?.kind === "list" && tags.items.length > 0 && { tags: tags.items.map(tagOf) }),
    ...(externalDocs !== undefined && pick(externalDocs, "externalDocs", ["description", "url"])),
  };
}

function textOf({ root }: ApiModel, name: string): Readonly<Record<string, Json>> {
  const text = findText(root, "info", name);
  return text === undefined ? {} : { [name]: text };
}

/** AsyncAPI has no SPDX identifier, so that is the name where there is none. */
function licenseOf({ root }: ApiModel): Json | undefined {
  const license = findNode(root, "info", "license");
  const name = findText(license, "name") ?? findText(license, "identifier");
  const url = findText(license, "url");
  return name === undefined ? undefined : { name, ...(url !== undefined && { url }) };
}

function tagOf(node: Parameters<typeof toJson>[0]): Json {
  const { tag } = pick(node, "tag", ["name", "description"]);
  const documents = findNode(node, "externalDocs");
  const externalDocs = pick(documents, "externalDocs", ["description", "url"]);
  return { ...Object(tag), ...externalDocs };
}

/** The keys of a map that are texts, under `name`; nothing where none of them is. */
function pick(
  node: Parameters<typeof findText>[0],
  name: string,
  keys: readonly string[],
): Readonly<Record<string, Json>> {
  const entries = keys.flatMap((key) => {
    const text = findText(node, key);
    return text === undefined ? [] : [[key, text] as const];
  });
  return entries.length === 0 ? {} : { [name]: Object.fromEntries(entries) };
}
