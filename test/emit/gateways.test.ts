import { globSync } from "node:fs";
import { cases } from "../harness/cases.ts";
import { projectRoot } from "../harness/directories.ts";
import { emitDocument } from "./emitted.ts";

// Emitted text contains paths relative to the working directory.
process.chdir(projectRoot);

// A case has the name of the example whose gateway it expects.
cases("test/emit/gateway", async ({ name, expectFile }) => {
  const documents = globSync(`examples/${name}/*.yaml`);
  const set = documents.find((path) => path.endsWith("gateway.yaml"));
  const [document = "", ...others] = set === undefined ? documents : [set];
  if (document === "" || others.length > 0) throw new Error(`examples/${name} has one document, or a set`);
  const { gateway, types } = await emitDocument(document);
  expectFile("gateway.ts", gateway);
  expectFile("types.ts", types);
});
