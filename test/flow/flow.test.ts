import { checkDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { printType } from "../../compiler/value-types/print.ts";
import { cases } from "../harness/cases.ts";

// What is known of messages at each step of a stream, and what is said where the parts do not fit.
cases("test/flow", async ({ read, expectFile }) => {
  const fileSystem = createMemoryFileSystem({ "api.yaml": read("api.yaml") });
  const { diagnostics, checked } = await checkDocuments(["api.yaml"], { fileSystem });
  expectFile("diagnostics.txt", renderPretty(diagnostics, { color: false }));
  const streams = checked?.set.apis.flatMap((api) => api.streams) ?? [];
  const steps = streams.flatMap((stream) =>
    checked
      ?.steps(stream)
      .map(({ component, message: { content } }) => `${component.name}: ${printType(content)}`),
  );
  expectFile("steps.txt", steps.map((step) => `${step}\n`).join(""));
});
