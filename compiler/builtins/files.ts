// Files and their paths; the code is in runtime/mapping/files.ts.

import { type Builtin, type Details, fn, method, parameter } from "./builtin.ts";
import { unlessTexts } from "./results/elements.ts";
import { texts } from "./results/shapes.ts";
import { always } from "./results/target.ts";

const module = "files.ts";
const reading: Details = {
  pure: false,
  plugin: true,
  capability: "files",
  state: { symbol: "createFile", when: "literal" },
};
const path = parameter("path", "string");
const again = parameter("no_cache", "bool", false);

export const files: readonly Builtin[] = [
  fn(module, "file", "The bytes of a file, read once where its path is a literal.", {
    ...reading,
    returns: "bytes",
    args: [path, again],
  }),
  fn(module, "file_rel", "The bytes of a file named relative to the mapping's own.", {
    ...reading,
    returns: "bytes",
    args: [path, again],
    needs: "folder",
  }),
  fn(module, "file_rel_json", "The document in a file named relative to the mapping's own.", {
    ...reading,
    args: [path],
    needs: "folder",
  }),
  method("files.ts", "filepath_join", "The elements of an array as one clean path.", {
    targets: ["array"],
    returns: "string",
    fails: unlessTexts,
  }),
  method("files.ts", "filepath_split", "The folder with its last slash, and the name.", {
    targets: ["string", "bytes", "timestamp"],
    returns: "array",
    result: always(texts),
    canFail: false,
  }),
];
