// Runs `sluice import bento`: reports unsupported parts as diagnostics and writes the rest as a document that passes
// a check.

import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { checkWithTests } from "../../compiler/cli/check-with-tests.ts";
import { formatDiagnostics, type OutputFormat, withLineBreak } from "../../compiler/cli/diagnostics.ts";
import { exitCodes, misuse } from "../../compiler/cli/exit-codes.ts";
import { orOutputError } from "../../compiler/cli/output-folder.ts";
import { useColor } from "../../compiler/cli/terminal.ts";
import { type CheckResult, drawStreams } from "../../compiler/compile.ts";
import { type FileSystem, nodeFileSystem } from "../../compiler/index.ts";
import {
  apiNameOf,
  readSections,
  type Section,
  testsOf,
  withoutSections,
  wrapStream,
} from "./stream-text.ts";

/** Options of `sluice import bento`. */
export interface ImportOptions {
  readonly output?: string;
  readonly openapi?: boolean;
  readonly name?: string;
  readonly format: OutputFormat;
}

/** The code for a field that is allowed but has no effect. */
const withoutEffect = "GW4271";

/** The code for a feature that the owner of a gateway has to allow. Its message begins with the name to allow. */
const notAllowed = "GW4087";

/** Codes for files that do not exist, cannot be read, or are too large. */
const unreadable: ReadonlySet<string> = new Set(["GW1001", "GW1002", "GW1003"]);

/** Writes the document, or reports the unsupported parts. Returns the exit code. */
export async function runImportBento(path: string, options: ImportOptions): Promise<number> {
  const name = options.name ?? apiNameOf(path);
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) {
    return misuse("a name begins with a letter, and has letters, digits, `-` and `_`");
  }
  const { result: read, names } = await checkAllowed(path, nodeFileSystem);
  await show(read, options.format);
  if (read.checked === undefined) {
    const isRead = !read.diagnostics.some(({ code }) => unreadable.has(code));
    return isRead ? complain(`${path} has parts that do not map; nothing was written`) : exitCodes.failed;
  }

  const text = (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
  const sections = readSections(text);
  if (options.openapi === true && sections.length === 0) {
    return complain(`${path} is not YAML in block style; import it as a bare stream, without --openapi`);
  }
  const omitted = idleSections(sections, read);
  const isWrapped = options.openapi === true;
  const tests = isWrapped ? sections.filter(({ name: section }) => section === "tests") : [];
  const stream = withoutSections(text, [...omitted, ...tests]);
  const document = isWrapped ? wrapStream(stream, name) + testsOf(text, tests) : stream;

  const target = options.output ?? path;
  const { result: written } = await checkAllowed(target, withFile(nodeFileSystem, target, document));
  if (written.checked === undefined) {
    await show(written, options.format);
    return complain(`the document for \`${target}\` does not pass the check; nothing was written`);
  }
  if (options.output === undefined) process.stdout.write(document);
  else {
    const { output } = options;
    await orOutputError(output, () => writeFile(output, document, { flag: "wx" }));
  }
  await summarize(written.checked, omitted);
  if (names.length > 0)
    process.stderr.write(`sluice: \`allow_unsafe\` of \`gateway.yaml\` has to name: ${names.join(", ")}\n`);
  return 0;
}

/**
 * Checks a document as if the owner of the gateway allowed all that it needs of the machine: a configuration cannot
 * allow it, since the permission belongs to the set. Returns the names that the set has to allow.
 */
async function checkAllowed(
  path: string,
  fileSystem: FileSystem,
): Promise<{ readonly result: CheckResult; readonly names: readonly string[] }> {
  const result = await checkWithTests([path], fileSystem);
  const names = result.diagnostics.flatMap(({ code, message }) =>
    code === notAllowed ? (/`([^`]+)`/.exec(message)?.[1] ?? []) : [],
  );
  if (names.length === 0) return { result, names };
  const set = join(dirname(path), ".import.gateway.yaml");
  const text = JSON.stringify({
    streaming: { enabled: true },
    allow_unsafe: [...new Set(names)],
    apis: [basename(path)],
  });
  return {
    result: await checkWithTests([set], withFile(fileSystem, set, text)),
    names: [...new Set(names)],
  };
}

/** Returns the sections without effect. */
function idleSections(sections: readonly Section[], { diagnostics }: CheckResult): readonly Section[] {
  const idle = new Set(
    diagnostics.filter(({ code }) => code === withoutEffect).map(({ span }) => span.start),
  );
  return sections.filter(({ start }) => idle.has(start));
}

async function show({ diagnostics, suppressed }: CheckResult, format: OutputFormat): Promise<void> {
  const text = await formatDiagnostics(diagnostics, format, useColor(process.stderr), suppressed);
  process.stderr.write(withLineBreak(text));
}

/** Prints the components of the document, each once, and the omitted sections. */
async function summarize(
  checked: NonNullable<CheckResult["checked"]>,
  omitted: readonly Section[],
): Promise<void> {
  const components = new Set<string>();
  for (const { id } of checked.set.apis) {
    for (const { nodes } of (await drawStreams(checked, id)).values()) {
      for (const { component } of nodes) components.add(component);
    }
  }
  process.stderr.write(`sluice: maps: ${[...components].join(", ")}\n`);
  if (omitted.length > 0) {
    process.stderr.write(`sluice: left out: ${omitted.map(({ name }) => name).join(", ")}\n`);
  }
}

/** Returns a file system with one file added or replaced. */
function withFile(files: FileSystem, path: string, text: string): FileSystem {
  return {
    ...files,
    readFile: async (requested, limit) =>
      requested === path ? new TextEncoder().encode(text) : files.readFile(requested, limit),
  };
}

function complain(text: string): number {
  process.stderr.write(`sluice: ${text}\n`);
  return exitCodes.failed;
}
