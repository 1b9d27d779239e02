// The command "Try mapping": runs the mapping at the cursor on a message that the user writes, and shows the result
// next to it.

import {
  EventEmitter,
  type ExtensionContext,
  type TextEditor,
  Uri,
  ViewColumn,
  window,
  workspace,
} from "vscode";
import { firstSample, mappingAt } from "./mapping-at.ts";
import type { Runner } from "./runner.ts";

const scheme = "sluice-result";

/** Returns a function that runs the mapping at the cursor of an editor, if there is one. */
export function createMappingTrial(
  context: ExtensionContext,
  runner: Runner,
): (editor: TextEditor) => Promise<string | undefined> {
  const results = new Map<string, string>();
  const changed = new EventEmitter<Uri>();
  context.subscriptions.push(
    changed,
    workspace.registerTextDocumentContentProvider(scheme, {
      onDidChange: changed.event,
      provideTextDocumentContent: ({ path }) => results.get(path) ?? "",
    }),
  );
  return async ({ document, selection }) => {
    const text = document.getText();
    const selected = selection.isEmpty ? undefined : document.getText(selection);
    const mapping =
      selected ??
      (document.languageId === "blobl" ? text : mappingAt(text, document.offsetAt(selection.active)));
    if (mapping === undefined) {
      void window.showInformationMessage(
        "Sluice: there is no mapping at the cursor. Select one, or go to one.",
      );
      return undefined;
    }
    const key = `sample ${document.uri}`;
    const message = await window.showInputBox({
      title: "Try mapping",
      prompt: "The message, as JSON or text",
      value: context.workspaceState.get(key) ?? firstSample(text) ?? "{}",
    });
    if (message === undefined) return undefined;
    await context.workspaceState.update(key, message);
    const args = ["blobl", "--pretty", "--", mapping];
    const { stdout, stderr } = await runner.run(document.uri, args, { input: `${oneLine(message)}\n` });
    const result = stderr !== "" ? stderr : stdout !== "" ? stdout : "# The mapping deleted the message.\n";
    const uri = Uri.from({ scheme, path: `/result${stderr === "" && stdout !== "" ? ".json" : ".txt"}` });
    results.set(uri.path, result);
    changed.fire(uri);
    const shown = { viewColumn: ViewColumn.Beside, preserveFocus: true, preview: true };
    await window.showTextDocument(await workspace.openTextDocument(uri), shown);
    return result;
  };
}

/** Joins a message to one line for `sluice blobl`. Line breaks between JSON tokens have no meaning. */
function oneLine(message: string): string {
  return message.replaceAll(/\r?\n/g, " ");
}
