// Runs the `sluice` for a document; it is looked up once for each folder.

import { basename, dirname } from "node:path";
import { type ExtensionContext, ProcessExecution, Task, TaskScope, tasks, type Uri, workspace } from "vscode";
import { findSluice, type Sluice } from "./find-sluice.ts";
import { nodeProgram, type Printed, type RunOptions, runProcess } from "./run-sluice.ts";

/** A command line of `sluice`: the program and its arguments. */
export interface Command {
  readonly command: string;
  readonly args: string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Runs `sluice` for documents. */
export interface Runner {
  /** Returns the `sluice` for a document or folder; by default, for the first folder of the workspace. */
  sluiceFor(uri: Uri | undefined): Sluice;
  commandFor(uri: Uri | undefined, args: readonly string[]): Command;
  /** Runs it to its end, in the folder of the document. */
  run(
    uri: Uri | undefined,
    args: readonly string[],
    options?: Omit<RunOptions, "cwd" | "env">,
  ): Promise<Printed>;
  /** Runs it in a terminal that shows its output. */
  runTask(uri: Uri, command: string, args: readonly string[]): Promise<void>;
}

/** Creates the runner of an extension. */
export function createRunner({ extensionPath }: Pick<ExtensionContext, "extensionPath">): Runner {
  const settings = () => workspace.getConfiguration("sluice");
  const folderOf = (uri: Uri | undefined): string | undefined =>
    uri?.scheme === "file" ? dirname(uri.fsPath) : workspace.workspaceFolders?.[0]?.uri.fsPath;
  const runner: Runner = {
    sluiceFor(uri) {
      const folder = folderOf(uri);
      return findSluice({
        configured: settings().get("path", ""),
        ...(folder !== undefined && { folder }),
        isTrusted: workspace.isTrusted,
        bundled: `${extensionPath}/server`,
      });
    },
    commandFor(uri, args) {
      const configured = workspace.isTrusted ? settings().get("node", "") : "";
      const { command, env } = nodeProgram(configured);
      const cwd = folderOf(uri) ?? extensionPath;
      return { command, args: [runner.sluiceFor(uri).script, ...args], env, cwd };
    },
    async run(uri, given, options = {}) {
      const { command, args, env, cwd } = runner.commandFor(uri, given);
      return runProcess(command, args, { ...options, env, cwd });
    },
    async runTask(uri, name, given) {
      const { command, args, env, cwd } = runner.commandFor(uri, given);
      const file = basename(uri.fsPath);
      const scope = workspace.getWorkspaceFolder(uri) ?? TaskScope.Workspace;
      const execution = new ProcessExecution(command, args, { cwd, env: { ...env } });
      await tasks.executeTask(
        new Task({ type: "sluice", command: name, file }, scope, `${name} ${file}`, "sluice", execution),
      );
    },
  };
  return runner;
}
