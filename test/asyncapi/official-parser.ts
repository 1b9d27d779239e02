// The parser of those who make AsyncAPI, as the judge of what we write.

import { Parser } from "@asyncapi/parser";

/** Severities of its diagnostics: errors and warnings; it has hints besides. */
const warning = 1;

const parser = new Parser();

/** Resolves with the diagnostics of the parser for a document; empty for a valid one. */
export async function complaintsOf(text: string): Promise<readonly string[]> {
  const { document, diagnostics } = await parser.parse(text);
  const found = diagnostics
    .filter(({ severity }) => severity <= warning)
    .map(({ code, message, path }) => `${code} ${message} at ${path.join(".")}`);
  return document === undefined && found.length === 0 ? ["it is no document"] : found;
}
