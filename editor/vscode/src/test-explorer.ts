// Shows the tests of the workspace in the editor's test explorer and runs them with `sluice test`.

import { basename } from "node:path";
import {
  type CancellationToken,
  type ExtensionContext,
  Location,
  Position,
  Range,
  RelativePattern,
  type TestController,
  type TestItem,
  TestMessage,
  TestRunProfileKind,
  type TestRunRequest,
  type TextDocument,
  tests,
  type Uri,
  workspace,
} from "vscode";
import { findUnitTests, readOutcomes, type TestOutcome } from "./find-tests.ts";
import type { Runner } from "./runner.ts";

const pattern = "**/*_test.{yaml,yml}";
const skipped = "**/{node_modules,dist,out}/**";
/** Maximum number of files to search in the workspace. */
const mostFiles = 2000;

/** Shows the tests of the workspace and of open documents. */
export function addTestExplorer(context: ExtensionContext, runner: Runner): TestController {
  const controller = tests.createTestController("sluice", "Sluice");
  const readFile = async (uri: Uri): Promise<void> => {
    const open = workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
    try {
      show(controller, uri, open?.getText() ?? new TextDecoder().decode(await workspace.fs.readFile(uri)));
    } catch {
      // The file was deleted after it was listed.
      controller.items.delete(uri.toString());
    }
  };
  const readDocument = (document: TextDocument): void => {
    const { languageId, uri } = document;
    if (uri.scheme === "file" && ["yaml", "json", "jsonc"].includes(languageId))
      show(controller, uri, document.getText());
  };
  controller.resolveHandler = async (item) => {
    if (item !== undefined) return;
    const files = await workspace.findFiles(pattern, skipped, mostFiles);
    await Promise.all(files.map(readFile));
  };
  controller.refreshHandler = () => controller.resolveHandler?.(undefined);
  controller.createRunProfile(
    "Run",
    TestRunProfileKind.Run,
    (request, token) => runTests(controller, runner, request, token),
    true,
  );
  const watchers = (workspace.workspaceFolders ?? []).map((folder) =>
    workspace.createFileSystemWatcher(new RelativePattern(folder, pattern)),
  );
  for (const watcher of watchers) {
    watcher.onDidCreate(readFile);
    watcher.onDidChange(readFile);
    watcher.onDidDelete((uri) => controller.items.delete(uri.toString()));
  }
  context.subscriptions.push(
    controller,
    ...watchers,
    workspace.onDidOpenTextDocument(readDocument),
    workspace.onDidChangeTextDocument(({ document }) => readDocument(document)),
  );
  workspace.textDocuments.forEach(readDocument);
  return controller;
}

/** Replaces the tests of one file in the list. */
function show(controller: TestController, uri: Uri, text: string): void {
  const { items } = controller;
  const found = findUnitTests(text);
  if (found.length === 0) {
    items.delete(uri.toString());
    return;
  }
  const file =
    items.get(uri.toString()) ??
    controller.createTestItem(uri.toString(), workspace.asRelativePath(uri), uri);
  file.children.replace(
    found.map(({ name, line, endLine }, index) => {
      const item = controller.createTestItem(`${uri}#${index}`, name, uri);
      item.range = new Range(new Position(line - 1, 0), new Position(endLine, 0));
      return item;
    }),
  );
  items.add(file);
}

/** Runs the files of the requested tests and reports the results. */
async function runTests(
  controller: TestController,
  runner: Runner,
  request: TestRunRequest,
  token: CancellationToken,
): Promise<void> {
  const run = controller.createTestRun(request);
  const excluded = new Set(request.exclude);
  const wanted = (request.include ?? itemsOf(controller.items))
    .flatMap((item) => (item.children.size === 0 ? [item] : itemsOf(item.children)))
    .filter((item) => !excluded.has(item) && (item.parent === undefined || !excluded.has(item.parent)));
  const stopping = new AbortController();
  token.onCancellationRequested(() => stopping.abort());
  for (const [uri, items] of Map.groupBy(wanted, ({ uri }) => uri)) {
    if (uri !== undefined && !token.isCancellationRequested) await runFile(uri, items);
  }
  run.end();

  async function runFile(uri: Uri, items: readonly TestItem[]): Promise<void> {
    for (const item of items) run.started(item);
    try {
      const args = ["test", uri.fsPath, "--format", "json"];
      const { stdout, stderr } = await runner.run(uri, args, { signal: stopping.signal });
      if (stdout === "") throw new Error(stderr);
      // The output includes tests of files next to it.
      const outcomes = readOutcomes(stdout).filter(({ file }) => basename(file) === basename(uri.fsPath));
      for (const item of items) {
        const outcome = outcomes.find(({ line }) => line - 1 === item.range?.start.line);
        if (outcome === undefined) run.errored(item, new TestMessage(stderr || "The test was not run."));
        else report(item, outcome);
      }
    } catch (error) {
      for (const item of items) {
        if (stopping.signal.aborted) run.skipped(item);
        else run.errored(item, new TestMessage(error instanceof Error ? error.message : String(error)));
      }
    }
  }

  function report(item: TestItem, { passed, failures, seconds }: TestOutcome): void {
    if (passed) {
      run.passed(item, seconds * 1000);
      return;
    }
    const messages = failures.map((text) => {
      const message = new TestMessage(text);
      if (item.uri && item.range) message.location = new Location(item.uri, item.range);
      return message;
    });
    run.failed(item, messages, seconds * 1000);
  }
}

function itemsOf(collection: TestItem["children"]): TestItem[] {
  const items: TestItem[] = [];
  collection.forEach((item) => {
    items.push(item);
  });
  return items;
}
