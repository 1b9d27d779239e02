import { join } from "node:path";
import { cases } from "../harness/cases.ts";
import { projectRoot } from "../harness/directories.ts";
import { emitDocument } from "./emitted.ts";

// Emitted text cites paths from the working directory.
process.chdir(projectRoot);

cases("test/emit/types", async ({ name, expectFile }) => {
  const { types } = await emitDocument(join("test/emit/types", name, "api.yaml"));
  expectFile("types.ts", types);
});
