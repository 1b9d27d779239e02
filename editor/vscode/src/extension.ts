// The entry point of the extension: starts its parts, which are in files of their own, and registers its commands.

import {
  commands,
  type ExtensionContext,
  env,
  Range,
  type TextDocument,
  Uri,
  window,
  workspace,
} from "vscode";
import { createClient } from "./client.ts";
import { isSluiceDocument } from "./documents.ts";
import { createRunner, type Runner } from "./runner.ts";
import { createStatus } from "./status.ts";
import { addTestExplorer } from "./test-explorer.ts";
import { createTopologyPanels } from "./topology.ts";
import { createMappingTrial } from "./try-mapping.ts";

let stop: (() => Promise<void>) | undefined;

/** Called by the editor with the first document that matches the manifest. */
export function activate(context: ExtensionContext): void {
  const runner = createRunner(context);
  const status = createStatus(context);
  const client = createClient(context, runner, status);
  stop = client.stop;
  const showTopology = createTopologyPanels(context, runner);
  const tryMapping = createMappingTrial(context, runner);
  addTestExplorer(context, runner);

  const look = (document: TextDocument): void => {
    if (isSluiceDocument(document)) void client.start();
  };
  const update = (): void => {
    const document = window.activeTextEditor?.document;
    status.update();
    void commands.executeCommand(
      "setContext",
      "sluice.isDocument",
      document !== undefined && isSluiceDocument(document),
    );
  };
  const handlers: Readonly<Record<string, (...given: readonly unknown[]) => unknown>> = {
    check: () => withDocument((uri) => runner.runTask(uri, "check", ["check", uri.fsPath])),
    run: () => withDocument((uri) => serve(runner, uri, ["run", uri.fsPath, "--watch"])),
    build: () =>
      withDocument(async (uri) => {
        const folder = await window.showInputBox({
          title: "Build gateway",
          prompt: "Output folder",
          value: "out",
        });
        if (folder) await serve(runner, uri, ["build", uri.fsPath, "-o", folder]);
      }),
    test: (given) => withDocument((uri) => runner.runTask(uri, "test", ["test", uri.fsPath]), given),
    showTopology: (given) => withDocument(showTopology, given),
    tryMapping: (given, place) => tryAt(tryMapping, given, place),
    openRoute: (given) => env.openExternal(Uri.parse(String(given), true)),
    restart: () => client.restart(),
    commands: choose,
  };
  for (const [name, handler] of Object.entries(handlers)) {
    context.subscriptions.push(
      commands.registerCommand(`sluice.${name}`, (...given: unknown[]) => report(() => handler(...given))),
    );
  }
  context.subscriptions.push(
    workspace.onDidOpenTextDocument(look),
    // A new document may begin to match while it is written.
    workspace.onDidChangeTextDocument(({ document }) => look(document)),
    window.onDidChangeActiveTextEditor(update),
    workspace.onDidGrantWorkspaceTrust(() => client.restart()),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("sluice.path") || event.affectsConfiguration("sluice.node"))
        void client.restart();
    }),
  );
  workspace.textDocuments.forEach(look);
  update();
}

/** Called by the editor when it closes. */
export async function deactivate(): Promise<void> {
  await stop?.();
}

/** Runs the mapping at the cursor, or at the position of a code lens. */
async function tryAt(
  tryMapping: ReturnType<typeof createMappingTrial>,
  given: unknown,
  place: unknown,
): Promise<string | undefined> {
  const { line, character } = (place ?? {}) as { line?: unknown; character?: unknown };
  if (typeof given === "string" && typeof line === "number" && typeof character === "number") {
    const selection = new Range(line, character, line, character);
    return tryMapping(await window.showTextDocument(Uri.parse(given, true), { selection }));
  }
  return window.activeTextEditor && tryMapping(window.activeTextEditor);
}

/**
 * Saves the document that a code lens names, or that of the active editor, since commands read files, and calls
 * `work` with its URI.
 */
async function withDocument(work: (uri: Uri) => Promise<unknown>, given?: unknown): Promise<void> {
  const document =
    typeof given === "string"
      ? await workspace.openTextDocument(Uri.parse(given, true))
      : window.activeTextEditor?.document;
  if (document === undefined || document.uri.scheme !== "file") {
    void window.showInformationMessage("Sluice: open a document that is a file first.");
    return;
  }
  if (document.isDirty) await document.save();
  await work(document.uri);
}

/** Builds or runs a document with the project's compiler: the extension contains no bundler, which is native code. */
async function serve(runner: Runner, uri: Uri, args: readonly string[]): Promise<void> {
  const [command = ""] = args;
  if (runner.sluiceFor(uri).origin !== "extension") return runner.runTask(uri, command, args);
  void window.showInformationMessage(
    `Sluice: \`${command}\` needs sluice in the project. Install it with: npm install --save-dev sluice`,
  );
}

async function choose(): Promise<void> {
  const items = [
    { label: "Check document", command: "sluice.check" },
    { label: "Try mapping", command: "sluice.tryMapping" },
    { label: "Show topology to the side", command: "sluice.showTopology" },
    { label: "Run unit tests of document", command: "sluice.test" },
    { label: "Run gateway", command: "sluice.run" },
    { label: "Build gateway", command: "sluice.build" },
    { label: "Restart language server", command: "sluice.restart" },
  ];
  const chosen = await window.showQuickPick(items, { title: "Sluice" });
  if (chosen !== undefined) await commands.executeCommand(chosen.command);
}

/** Runs a command and shows its errors, so that they do not end the extension. */
async function report(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    void window.showErrorMessage(`Sluice: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
