import { printDestination } from "../../compiler/check/flow/failures/stream-failure.ts";
import { checkDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { locate } from "../../compiler/source/source.ts";
import { printType } from "../../compiler/value-types/print.ts";
import { cases } from "../harness/cases.ts";

// The types of messages at each step of a stream, the steps that can fail, and the diagnostics if the parts do not
// fit.
cases("test/flow", async ({ read, expectFile }) => {
  const fileSystem = createMemoryFileSystem({ "api.yaml": read("api.yaml") });
  const { diagnostics, checked } = await checkDocuments(["api.yaml"], { fileSystem });
  expectFile("diagnostics.txt", renderPretty(diagnostics, { color: false }));
  if (checked === undefined) return;
  const streams = checked.set.apis.flatMap((api) => api.streams);
  const steps = streams.flatMap((stream) =>
    checked
      .steps(stream)
      .map(({ component, message: { content } }) => `${component.name}: ${printType(content)}\n`),
  );
  expectFile("steps.txt", steps.join(""));
  const failures = streams.flatMap((stream) =>
    checked.failures(stream).map(({ component, span, reason, reaches }) => {
      const { line, column } = locate(span).start;
      const text = span.source.text.slice(span.start, span.end);
      const ends = reaches.map(printDestination).join("; ");
      return `${line}:${column} ${component.name} \`${text}\`: ${reason}; goes to ${ends}\n`;
    }),
  );
  if (failures.length > 0) expectFile("failures.txt", failures.join(""));
});
