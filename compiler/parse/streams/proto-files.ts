// Compiles the Protocol Buffers folders that a processor names to a schema, as text.

import type { Report } from "../../diagnostics/sink.ts";
import type { SourceFile, Span } from "../../source/source.ts";
import type { DocumentNode } from "../../trees/document.ts";
import { resolvePath } from "../document/paths.ts";

/** Finds and reads the files that a document names. */
export interface NamedFileOptions {
  /** Returns the file at a path; `undefined` after a report at `named` if it cannot be read. */
  readonly readFile: (path: string, named: Span) => Promise<SourceFile | undefined>;
  /** Returns the files that match a pattern. */
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

/** Returns the paths of a list; `undefined` if one is no text or not known at build time, which the check reports. */
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
 * Returns the compiled schema of the folders of a list, in Base64; `undefined` if the node is not a list of paths, and
 * after a report.
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
  // Imported lazily: few documents need the parser.
  const { compileProto, ProtoError } = await import("../protobuf/compile-proto.ts");
  try {
    return Buffer.from(compileProto(files)).toString("base64");
  } catch (error) {
    if (!(error instanceof ProtoError)) throw error;
    options.report("GW1035", node.span, { file: error.file, reason: error.message });
    return undefined;
  }
}

/**
 * Returns the files below a folder by the names that others import them by; `undefined` after a report if there are
 * none.
 */
async function filesOf(
  { path: written, span }: NamedPath,
  options: NamedFileOptions,
): Promise<readonly (readonly [name: string, file: SourceFile])[] | undefined> {
  const { report, allowFiles, findFiles, readFile } = options;
  if (!allowFiles) {
    report("GW1034", span, { reference: written });
    return undefined;
  }
  // Relative to the document first; the reference engine starts at the working directory.
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
    // Files that cannot be read have been reported.
    return named.length === files.length ? named : undefined;
  }
  report("GW1035", span, { file: undefined, reason: `there are no .proto files in \`${written}\`` });
  return undefined;
}
