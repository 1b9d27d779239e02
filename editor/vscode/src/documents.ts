// Decides which documents the extension handles, since editors open YAML and JSON files of every kind.

import type { TextDocument } from "vscode";

const keys =
  /(?:^|[{,])[ \t]*["']?(?:x-(?:gw|tyk)-[\w-]+|apis|input|output|pipeline|tests|x-tests|openapi)["']?[ \t]*:/m;
const looked = 200_000;

/** The languages of the documents that the server reads. */
export const languages: readonly string[] = ["yaml", "json", "jsonc", "blobl"];

/** Returns true for mappings, and for documents with a key of streams, sets, tests or OpenAPI. */
export function isSluiceDocument(document: TextDocument): boolean {
  if (document.languageId === "blobl") return true;
  return languages.includes(document.languageId) && keys.test(document.getText().slice(0, looked));
}
