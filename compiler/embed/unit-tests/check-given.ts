// Checks the names in the messages and variables that a unit test supplies, and finds conditions that check nothing.

import { posix } from "node:path";
import type { CheckedSet } from "../../check/checked-set.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { nearest } from "../../diagnostics/suggest.ts";
import type { SentMessage, UnitTest } from "../../model/unit-tests.ts";
import { entriesOf } from "../../model/written.ts";
import { resolvePath } from "../../parse/document/paths.ts";
import type { MapEntry } from "../../trees/document.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import type { MessageType, Type } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { splitTarget, type TestPlace } from "./check-test.ts";

/**
 * Reports names in messages of a test that are similar to names of the messages that the document declares. Nothing
 * else is reported, since tests may send other messages.
 */
export function checkSent(sent: SentMessage, { content, metadata }: MessageType, report: Report): void {
  if (sent.json !== undefined) checkNames(sent.json, content, report);
  const known = [...metadata.known.keys()];
  const written = entriesOf(sent.metadata);
  for (const entry of written)
    if (!metadata.known.has(entry.key)) reportSlip(entry, "metadata", known, written, report);
}

function checkNames({ key, value }: MapEntry, type: Type, report: Report): void {
  const options = alternativesOf(type);
  if (value.kind === "list") {
    const items = unionOf(options.flatMap((each) => (each.kind === "Array" ? [each.items] : [])));
    for (const item of value.items) checkNames({ key, keySpan: item.span, value: item }, items, report);
  }
  if (value.kind !== "map") return;
  const objects = options.flatMap((each) => (each.kind === "Object" ? [each] : []));
  const known = [...new Set(objects.flatMap(({ fields }) => [...fields.keys()]))];
  for (const entry of value.entries) {
    const types = objects.flatMap(({ fields }) => fields.get(entry.key)?.type ?? []);
    if (types.length > 0) checkNames(entry, unionOf(types), report);
    else reportSlip(entry, key, known, value.entries, report);
  }
}

/** Reports a name that is similar to a known one that the object does not contain. */
export function reportSlip(
  { key, keySpan }: MapEntry,
  owner: string,
  known: readonly string[],
  beside: readonly MapEntry[],
  report: Report,
): void {
  const near = nearest(key, known, new Set(beside.map((each) => each.key)));
  if (near.closest !== undefined && near.respelling === "sure")
    report("GW4010", keySpan, { owner, field: key, known, ...near });
}

/** Reports conditions that check nothing. */
export function checkEmptyConditions({ outputBatches }: UnitTest, report: Report): void {
  for (const { jsonContains: expected } of outputBatches.flat()) {
    if (expected?.value.kind === "map" && expected.value.entries.length === 0)
      report("GW4271", expected.keySpan, {
        owner: "output_batches",
        field: expected.key,
        reason: "every object contains an empty one",
      });
  }
}

/**
 * Reports environment variables that the documents around the processors do not name. Mappings in other files may
 * read more variables; if there are such files, reports only names that are similar to variables that are read.
 */
export function checkUnreadVariables(
  test: UnitTest,
  { file, target }: TestPlace,
  checked: CheckedSet | undefined,
  report: Report,
): void {
  const { environment } = test;
  if (environment.length === 0 || checked === undefined || test.targetMapping !== undefined) return;
  const { path } = splitTarget(test.targetProcessors);
  const document = posix.resolve((path === "" ? target : resolvePath(file, path)).replaceAll("\\", "/"));
  const texts = checked.set.documents.map((each) => each.file);
  if (!texts.some((each) => posix.resolve(each.path.replaceAll("\\", "/")) === document)) return;
  const text = texts.map((each) => each.text).join("\n");
  const read = [...text.matchAll(variable)].map(([, braced, called]) => braced ?? called ?? "");
  for (const { key, keySpan } of environment) {
    if (read.includes(key)) continue;
    const near = nearest(key, read, new Set(environment.map((each) => each.key)));
    if (near.closest !== undefined && near.respelling === "sure")
      report("GW4010", keySpan, { owner: "environment", field: key, ...near });
    else if (!otherFiles.test(text))
      report("GW4271", keySpan, {
        owner: "environment",
        field: key,
        reason: "nothing that the test runs reads it",
      });
  }
}

/** Matches `${NAME}` and `env("NAME")`. */
const variable = /\$\{([A-Za-z_]\w*)|\benv\(\s*["']?([A-Za-z_]\w*)/g;

/** Matches references to other files, and computed names of variables. */
const otherFiles = /\b(?:import|from)\s+["']|\benv\(\s*(?!["'])|\$ref["']?\s*:\s*["']?[^#"'\s]/;
