// The tests of a template, in its own file: the configuration that it makes of fields, compared with what is expected.

import type { Sink } from "../../diagnostics/sink.ts";
import { createSink } from "../../diagnostics/sink.ts";
import { locate } from "../../source/source.ts";
import { readTemplate } from "../../templates/read-templates.ts";
import type { LoadedDocument } from "../../trees/api.ts";
import type { Dialect } from "../../trees/dialect.ts";
import { type DocumentNode, findEntry, findNode, findText } from "../../trees/document.ts";
import { lineDiff } from "./line-diff.ts";
import { plainValue, samePlain } from "./node-values.ts";
import type { TestFailure, TestResult } from "./run-test.ts";

/** Whether a document with tests is a template: streams have no mapping of their own. */
export function isTemplate(root: DocumentNode): boolean {
  return ["name", "type", "mapping"].every((key) => findEntry(root, key) !== undefined);
}

/** Runs the tests of a template; where it cannot be read, all of them fail for that reason. */
export function runTemplateTests(
  { file, root }: Pick<LoadedDocument, "file" | "root">,
  dialect: Dialect,
  sink: Sink,
): readonly TestResult[] {
  const template = readTemplate({ file, root }, dialect, sink.report);
  const tests = findNode(root, "tests");
  return (tests?.kind === "list" ? tests.items : []).map((test, index) => {
    const begin = performance.now();
    const failures =
      template === undefined ? [{ diagnostics: sink.diagnostics() }] : runOne(test, template.render);
    return {
      file: file.path,
      line: locate(test.span).start.line,
      name: findText(test, "name") ?? `test ${index + 1}`,
      seconds: (performance.now() - begin) / 1000,
      failures,
    };
  });
}

type Render = NonNullable<ReturnType<typeof readTemplate>>["render"];

function runOne(test: DocumentNode, render: Render): readonly TestFailure[] {
  const config = findEntry(test, "config");
  if (config === undefined) return ["a test of a template needs `config`"];
  const sink = createSink();
  const json = render(config, sink.report);
  if (json === undefined) return [{ diagnostics: sink.diagnostics() }];
  const expected = findEntry(test, "expected");
  if (expected === undefined) return [];
  const made: unknown = JSON.parse(json);
  const wanted = plainValue(expected.value);
  if (samePlain(made, wanted)) return [];
  return [["the configuration differs", ...lineDiff(shown(wanted), shown(made))].join("\n")];
}

function shown(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
