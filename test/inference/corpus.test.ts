// The conformance corpus, inferred without any knowledge of its messages: what runs has no mistakes, what is said not
// to fail does not, and what comes out is what was said.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileMapping } from "../../compiler/embed/mapping.ts";
import { printType } from "../../compiler/value-types/print.ts";
import {
  anyMessage,
  arrayOf,
  bool,
  bytes,
  float,
  integer,
  type MessageType,
  nullType,
  objectOf,
  string,
  type Type,
  unknown,
} from "../../compiler/value-types/type.ts";
import { unionOf } from "../../compiler/value-types/union.ts";
import { MappingError } from "../../runtime/errors.ts";
import { MappingRun } from "../../runtime/mapping/run.ts";
import { textOf } from "../../runtime/mapping/text.ts";
import { Message } from "../../runtime/message/message.ts";
import type { Value } from "../../runtime/message/value.ts";
import { type Row, readRows } from "../conformance/rows.ts";
import { inferText } from "./inferring.ts";
import { runValueFits } from "./run-value-fits.ts";

process.env.TZ = "UTC";

const allowed = new Set(["file", "file_rel", "file_json", "file_rel_json"]);
const rows = readRows().filter(({ mapping, maps, vars }) => mapping !== "" && !maps && !vars);

/** What each row gives, and what is inferred for any message, which several tests read. */
const outcomes = new Map(rows.map((row) => [row, runRow(row)]));
const inferences = new Map(rows.map((row) => [row, inferText(row.mapping, anyMessage, { allowed })]));

/** What a row gives when it is run on its own input; `undefined` where it needs more than that. */
function runRow(row: Row): { readonly value: Value } | { readonly error: string } | undefined {
  if (!["example", "map_part", "query", "exec"].includes(row.mode) || row.files !== undefined)
    return undefined;
  try {
    const message = Message.fromText(typeof row.input === "string" ? row.input : "", new Map());
    return { value: compileMapping(row.mapping)(new MappingRun([message], 0)) };
  } catch (error) {
    return error instanceof MappingError ? { error: error.message } : undefined;
  }
}

/**
 * Mistakes that no mapping fails on: fields that are not there are null, what is never taken does no harm, and a filter whose
 * test is never a boolean drops everything.
 */
const harmless = new Set(["GW3100", "GW3111", "GW3121"]);

test("mappings that run have no type errors", () => {
  const wrong = rows.flatMap((row) => {
    const result = inferences.get(row);
    const outcome = outcomes.get(row);
    if (result === undefined || outcome === undefined || "error" in outcome) return [];
    const errors = result.findings.filter(
      ({ code, severity }) => severity === "error" && !harmless.has(code),
    );
    return errors.map(({ code, message }) => `${row.id} ${code} ${message}\n${row.mapping}`);
  });
  assert.equal(wrong, []);
});

test("mappings without known failures do not fail, and return the inferred type", () => {
  let certain = 0;
  const wrong = rows.flatMap((row) => {
    const outcome = outcomes.get(row);
    const result = outcome && inferences.get(row);
    if (outcome === undefined || result === undefined) return [];
    const { failures, root } = result.inferred;
    if ("error" in outcome) {
      return failures.length === 0 ? [`${row.id} fails: ${outcome.error}\n${row.mapping}`] : [];
    }
    certain += failures.length === 0 ? 1 : 0;
    if (runValueFits(root, outcome.value)) return [];
    return [`${row.id} gives ${textOf(outcome.value)}, not ${printType(root)}\n${row.mapping}`];
  });
  assert.equal(wrong, []);
  assert.ok(certain > 60, `only ${certain} mappings are known not to fail`);
});

/** Types of values as narrow as they can be said: objects have these fields and no others. */
function typeOfValue(value: unknown): Type {
  if (value === null) return nullType;
  if (typeof value === "boolean") return bool;
  // What no float64 reaches is a number of the document, and none to calculate with.
  if (typeof value === "number" && !Number.isFinite(value)) return unknown;
  if (typeof value === "number") return Number.isInteger(value) ? integer : float;
  if (typeof value === "string") return string;
  if (Array.isArray(value)) return arrayOf(unionOf(value.map(typeOfValue)));
  const fields = Object.entries(value as object).map(([name, each]) => [name, typeOfValue(each)] as const);
  return objectOf(fields);
}

function messageOf(row: Row): MessageType {
  const metadata = anyMessage.metadata;
  try {
    return { content: typeOfValue(JSON.parse(typeof row.input === "string" ? row.input : "")), metadata };
  } catch {
    // A text that is no JSON, in rows that are about that; or none at all.
    return { content: bytes, metadata };
  }
}

test("mappings inferred for the type of their message match the inferred type and failures", () => {
  let certain = 0;
  const wrong = rows.flatMap((row) => {
    const outcome = outcomes.get(row);
    const result = outcome && inferText(row.mapping, messageOf(row), { allowed });
    if (outcome === undefined || result === undefined) return [];
    const { failures, root } = result.inferred;
    if (failures.length === 0) certain++;
    if ("error" in outcome) {
      return failures.length === 0 ? [`${row.id} fails: ${outcome.error}\n${row.mapping}`] : [];
    }
    const errors = result.findings.filter(
      ({ code, severity }) => severity === "error" && !harmless.has(code),
    );
    const mistakes = errors.map(({ code, message }) => `${row.id} ${code} ${message}\n${row.mapping}`);
    if (runValueFits(root, outcome.value)) return mistakes;
    return [...mistakes, `${row.id} gives ${textOf(outcome.value)}, not ${printType(root)}\n${row.mapping}`];
  });
  assert.equal(wrong, []);
  assert.ok(certain > 200, `only ${certain} mappings are known not to fail`);
});

test.run();
