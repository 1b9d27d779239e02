// Everything a set suppresses: comments of its YAML files, of its mappings, and `x-gw-ignore` entries.

import type { Report } from "../../diagnostics/sink.ts";
import type { Suppression } from "../../diagnostics/suppression.ts";
import type { SourceText, Span } from "../../source/source.ts";
import type { FieldNode, LoadedDocument } from "../../trees/api.ts";
import { isJson } from "../document/parse-document.ts";
import { findMappingComments, findYamlComments } from "./comments.ts";
import { readIgnore } from "./ignore-entries.ts";
import { mayHoldComment, readComment } from "./read-comment.ts";

/** What of a set can hold suppressions. */
export interface SuppressionSources {
  readonly documents: readonly LoadedDocument[];
  /** Texts in the mapping language, inside documents and in files of their own. */
  readonly mappings: Iterable<SourceText>;
}

/** The suppressions of a set. Those without effect are reported, each once, and left out. */
export function readSuppressions(sources: SuppressionSources, report: Report): readonly Suppression[] {
  const { documents, mappings } = sources;
  const inYaml = documents.flatMap(({ file }) =>
    isJson(file) || !mayHoldComment(file.text) ? [] : findYamlComments(file),
  );
  const inMappings = [...mappings].flatMap((source) =>
    mayHoldComment(source.text) ? findMappingComments(source) : [],
  );
  return [
    ...uniqueByPlace([...inYaml, ...inMappings]).flatMap((comment) => readComment(comment, report)),
    ...documents.flatMap(({ ignores }) => ignores.flatMap((entry) => readIgnore(entry, report))),
  ];
}

/** The texts of configured mappings and queries. */
export function* mappingTexts(fields: Iterable<FieldNode>): Iterable<SourceText> {
  for (const field of fields) {
    if (field.kind === "Mapping") yield field.mapping.source;
    if (field.kind === "Query") yield field.query.span.source;
  }
}

/** A mapping behind a YAML anchor is met wherever an alias repeats it; its comments are written once. */
function uniqueByPlace(comments: readonly Span[]): readonly Span[] {
  const found = new Map<string, Span>();
  for (const comment of comments) {
    const { file } = comment.source;
    const place = `${comment.source.offsetInFile(comment.start)} ${file.path}`;
    if (!found.has(place)) found.set(place, comment);
  }
  return [...found.values()];
}
