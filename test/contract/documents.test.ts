import { checkDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { cases } from "../harness/cases.ts";

/** Documents as the specification and the reference engine's own pages write them, and what is said of each. */
cases("test/contract/documents", async ({ path, expectFile }) => {
  const { diagnostics } = await checkDocuments([path("api.yaml")]);
  const text = renderPretty(diagnostics, { color: false });
  expectFile("diagnostics.txt", text.replaceAll(/(?<=┌ )\S*\/(?=\S+:\d+:\d+$)/gm, ""));
});
