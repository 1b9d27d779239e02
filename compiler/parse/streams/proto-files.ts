// Folders of Protocol Buffers that a processor names in, their compiled schema as a text out.

import type { Report } from "../../diagnostics/sink.ts";
import type { SourceFile, Span } from "../../source/source.ts";
import type { DocumentNode } from "../../trees/document.ts";
import { resolvePath } from "../document/paths.ts";

/** How files that a document names are found and read. */
export interface NamedFileOptions {
  /** The file at a path; `undefined` after saying at `named` why there is none. */
  readonly readFile: (path: string, named: Span) => Promise<SourceFile | undefined>;
  /** The files that match a pattern. */
  readonly findFiles: (pattern: string) => Promise<readonly string[]>;
  readonly report: Report;
  /** False for documents that may not read files. */
  readonly allowFiles: boolean;
}

/** A folder or a file as a document names it. */
interface NamedPath {
  readonly path: string;
  readonly span: Span;
}

/** The paths of a list; `undefined` where one is not known yet or no text, which is for the check to tell. */
function pathsOf(node: DocumentNode): readonly NamedPath[] | undefined {
  if (node.kind !== "list") return undefined;
  const paths = node.items.flatMap((item) =>
    item.kind === "scalar" &&
    typeof item.value === "string" &&
    item.value !== "" &&
    !item.value.includes("${")
      ? [{ path: item.value, span: item.span }]
      : [],
  );
  return paths.length === node.items.length && paths.length > 0 ? paths : undefined;
}

/**
 * The compiled schema of the folders of a list, in Base64; `undefined` for what is not a list of paths, and after something was
 * reported.
 */
export async function readProtoFiles(
  node: DocumentNode,
  options: NamedFileOptions,
): Promise<string | undefined> {
  const paths = pathsOf(node);
  if (paths === undefined) return undefined;
  const files: { readonly name: string; readonly text: string }[] = [];
  for (const named of paths) {
    const found = await filesOf(named, options);
    if (found === undefined) return undefined;
    for (const [name, { text }] of found) files.push({ name, text });
  }
  // Few documents need the parser.
  const { compileProto, ProtoError } = await import("../protobuf/compile-proto.ts");
  try {
    return Buffer.from(compileProto(files)).toString("base64");
  } catch (error) {
    if (!(error instanceof ProtoError)) throw error;
    options.report("GW1035", node.span, { file: error.file, reason: error.message });
    return undefined;
  }
}

/** The files below a folder by the names that others import them by; `undefined` after there were none, which is reported. */
async function filesOf(
  { path: written, span }: NamedPath,
  options: NamedFileOptions,
): Promise<readonly (readonly [name: string, file: SourceFile])[] | undefined> {
  const { report, allowFiles, findFiles, readFile } = options;
  if (!allowFiles) {
    report("GW1034", span, { reference: written });
    return undefined;
  }
  // Beside the document; the reference engine begins at the working directory.
  const places = [resolvePath(span.source.file.path, written), resolvePath("", written)];
  for (const path of places) {
    const isFile = path.endsWith(".proto");
    const prefix = isFile ? path.slice(0, path.lastIndexOf("/") + 1) : `${path.replace(/\/$/, "")}/`;
    const found = await findFiles(isFile ? path : `${prefix}**/*.proto`);
    if (found.length === 0) continue;
    const files = await Promise.all(found.map((each) => readFile(each, span)));
    const named = files.flatMap((file) =>
      file === undefined ? [] : [[file.path.slice(prefix.length), file] as const],
    );
    // What cannot be read was reported.
    return named.length === files.length ? named : undefined;
  }
  report("GW1035", span, { file: undefined, reason: `there are no .proto files in \`${written}\`` });
  return undefined;
}
