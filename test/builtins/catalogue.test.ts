// Every entry of the catalogue is complete: it describes its effect, its parameters and its result.

import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  acceptedArgument,
  acceptedTarget,
  canCallFail,
  namedTypes,
  resultOfCall,
} from "../../compiler/builtins/accepted.ts";
import type { Builtin, CallTypes } from "../../compiler/builtins/builtin.ts";
import { coreBuiltins } from "../../compiler/builtins/catalogue.ts";
import { signatureOf } from "../../compiler/builtins/describe.ts";
import { sampleOf } from "../../compiler/builtins/samples.ts";
import { compileQuery } from "../../compiler/embed/scripts.ts";
import { explainMismatch } from "../../compiler/value-types/assignable.ts";
import { type Type, unknown } from "../../compiler/value-types/type.ts";
import { nameOf } from "./calls.ts";

/** Builtins whose result type is unspecific: it depends on the message or a format, or type inference determines it. */
const anyResult: Readonly<Record<string, string>> = {
  "var()": "what a mapping assigned",
  "json()": "the document",
  "file_rel_json()": "a document of a file",
  apply: "what a map gives",
  from: "the target",
  bloblang: "what a mapping makes of the target",
  parse_json: "a document",
  parse_yaml: "a document",
  parse_msgpack: "a document",
  json_path: "what an expression finds",
  patch: "what the changes make of the target",
};

function names(fits: (builtin: Builtin) => boolean): readonly string[] {
  return coreBuiltins.builtins.filter(fits).map(nameOf);
}

/** Returns a call with all arguments whose queries may return anything; `asked` collects the queries that were evaluated. */
function widestCall(builtin: Builtin, asked: Set<number>): CallTypes {
  return {
    target: acceptedTarget(builtin),
    args: builtin.parameters.map((_, index) => acceptedArgument(builtin, index)),
    areConstant: false,
    queryResult(index): Type {
      asked.add(index);
      return unknown;
    },
  };
}

test("each builtin has a sentence of documentation", () => {
  assert.equal(
    names(({ doc }) => !/^[A-Z_a-z][^\n]*\.$/.test(doc)),
    [],
  );
});

test("names are unique", () => {
  const repeated = coreBuiltins.builtins.filter(
    (builtin) =>
      (builtin.kind === "function" ? coreBuiltins.findFunction : coreBuiltins.findMethod)(builtin.name) !==
      builtin,
  );
  assert.equal(repeated.map(nameOf), []);
});

test("each builtin declares its result type", () => {
  const silent = names((builtin) => builtin.returns === "any" && builtin.result === undefined);
  assert.equal(silent.toSorted(), Object.keys(anyResult).toSorted());
});

test("the inferred result of the widest call fits the declared return type", () => {
  const wrong = names((builtin) => {
    const result = resultOfCall(builtin, widestCall(builtin, new Set()));
    return explainMismatch(result, namedTypes[builtin.returns]).length > 0;
  });
  assert.equal(wrong, []);
});

test("each query parameter is evaluated by type inference", () => {
  const wrong = names((builtin) => {
    const asked = new Set<number>();
    resultOfCall(builtin, widestCall(builtin, asked));
    return builtin.parameters.some(({ query }, index) => query !== undefined && !asked.has(index));
  });
  assert.equal(wrong, []);
});

test("only builtins that can fail document when they fail", () => {
  assert.equal(
    names(({ canFail, fails }) => fails !== undefined && !canFail),
    [],
  );
  const certain = coreBuiltins.builtins.filter(({ canFail }) => !canFail);
  assert.not(certain.some((builtin) => canCallFail(builtin, widestCall(builtin, new Set()))));
});

test("signatures are printed in the notation of calls", () => {
  const written = [
    coreBuiltins.findMethod("trim"),
    coreBuiltins.findFunction("range"),
    coreBuiltins.findMethod("join"),
    coreBuiltins.findMethod("ts_unix"),
    coreBuiltins.findMethod("string"),
    coreBuiltins.findMethod("format"),
    coreBuiltins.findMethod("map_each"),
    coreBuiltins.findMethod("replace_all_many"),
  ].map((builtin) => builtin && signatureOf(builtin));
  assert.equal(written, [
    "text.trim(cutset?: string) → text",
    "range(start: integer, stop: integer, step: integer = 1) → integer[]",
    "array.join(delimiter?: string) → string",
    "(text | timestamp | number).ts_unix() → integer",
    "any.string() → string",
    "(text | timestamp).format(…: any) → string",
    "(array | object).map_each(query: query) → unknown[] | object",
    "text.replace_all_many(values: string[]) → text",
  ]);
});

test("samples call their builtin, and run", () => {
  const shown = coreBuiltins.builtins.flatMap(({ name }) => {
    const sample = sampleOf(name);
    return sample === undefined ? [] : [{ name, sample }];
  });
  assert.ok(shown.length > 150);
  for (const { name, sample } of shown) {
    assert.ok(sample.includes(`${name}(`), name);
    compileQuery(sample).evaluate({ message: { content: "{}" } });
  }
});

test.run();
