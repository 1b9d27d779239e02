// Completion in unit tests: the processors that they run and replace, in the tested document.

import { type CompletionItem, CompletionItemKind } from "vscode-languageserver";
import { splitTarget } from "../../../compiler/embed/unit-tests/check-test.ts";
import { targetsIn } from "../../../compiler/embed/unit-tests/target.ts";
import { resolvePath } from "../../../compiler/parse/document/paths.ts";
import { type DocumentNode, findText } from "../../../compiler/trees/document.ts";
import { documentSchemas } from "../../../schemas/catalogue.ts";
import type { Analysis } from "../../analysis/analysis.ts";
import type { DocumentPlace } from "../../analysis/document-place.ts";
import { placeholder } from "../../analysis/repaired.ts";
import { absolutePath } from "../../workspace/paths.ts";

const { target_processors: targetSchema, mocks: mocksSchema } =
  documentSchemas.unitTests.items?.properties ?? {};

/** Reads the tree of a document by its absolute path. */
export type ReadTree = (path: string) => Promise<DocumentNode | undefined>;

/** Returns the names for `target_processors` or a key of `mocks` at a place; `undefined` elsewhere. */
export async function testNames(
  { schema, parent, node }: DocumentPlace,
  {
    path,
    isKey,
    analysis,
  }: { readonly path: string; readonly isKey: boolean; readonly analysis: Analysis | undefined },
  readTree: ReadTree,
): Promise<CompletionItem[] | undefined> {
  const isMock = isKey && parent?.schema === mocksSchema;
  if (!isMock && schema !== targetSchema) return undefined;
  const test = isMock ? parent?.parent?.node : parent?.node;
  const written = isMock
    ? (findText(test, "target_processors") ?? "")
    : String(node.kind === "scalar" ? node.value : "");
  const file = splitTarget(written.replace(placeholder, "")).path;
  const own = analysis?.tests?.target ?? path;
  const root = await readTree(file === "" ? own : absolutePath(resolvePath(path, file)));
  const names = root === undefined ? [] : targetsIn(root);
  const prefix = isMock || file === "" ? "" : `${file}#`;
  return names.map((name, at) => ({
    label: `${prefix}${name}`,
    kind: CompletionItemKind.Reference,
    insertText: isMock ? `${name}: $0` : `${prefix}${name}`,
    ...(isMock && { insertTextFormat: 2 as const }),
    sortText: `0${String(at).padStart(4, "0")}`,
  }));
}
