import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { findNeovim } from "../harness/editors.ts";
import { run } from "../harness/processes.ts";

/** A text to parse, and a query whose captures to return. */
export interface ParseTask {
  readonly language: "blobl" | "yaml";
  readonly text: string;
  readonly query?: string;
}

export interface ParseResult {
  /** Whether a part of the text could not be parsed. */
  readonly error: boolean;
  /** The tree as an S-expression. */
  readonly tree: string;
  /** The captures in the order of the text; offsets count bytes. */
  readonly captures: readonly { readonly name: string; readonly start: number; readonly stop: number }[];
}

const folders = {
  blobl: join(projectRoot, "editor/tree-sitter-blobl/src"),
  yaml: join(projectRoot, "node_modules/@tree-sitter-grammars/tree-sitter-yaml/src"),
};

/** Compiles the C parsers once, and runs them in the editor that contains the library. */
export async function startParsers(): Promise<
  (tasks: readonly ParseTask[]) => Promise<readonly ParseResult[]>
> {
  const folder = temporaryDirectory("tree-sitter");
  const parsers = Object.fromEntries(
    await Promise.all(
      Object.entries(folders).map(async ([language, sources]) => {
        const object = join(folder, `${language}.so`);
        const files = globSync("{parser,scanner}.c", { cwd: sources });
        const options = ["-shared", "-fPIC", "-O0", "-I", sources, "-o", object];
        const compiled = await run("cc", [...options, ...files.map((file) => join(sources, file))]);
        if (compiled.status !== 0) throw new Error(`the parser does not compile: ${compiled.stderr}`);
        return [language, object] as const;
      }),
    ),
  );
  return async (tasks) => {
    const [given, answer] = [join(folder, "tasks.json"), join(folder, "result.json")];
    writeFileSync(given, JSON.stringify(tasks.map((task) => ({ ...task, query: task.query ?? null }))));
    const script = join(projectRoot, "test/editor/tree-sitter.lua");
    const outcome = await run(findNeovim(), ["--headless", "-u", "NONE", "-i", "NONE", "-S", script], {
      env: {
        ...{ SLUICE_PARSERS: JSON.stringify(parsers), SLUICE_TASKS: given, SLUICE_RESULT: answer },
        ...{ XDG_STATE_HOME: folder, XDG_DATA_HOME: folder },
      },
      timeout: 60_000,
    });
    if (outcome.status !== 0) throw new Error(outcome.stderr);
    return JSON.parse(readFileSync(answer, "utf8"));
  };
}
