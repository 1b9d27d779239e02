// The status bar item, which shows whether the language server runs, and the `sluice` it uses.

import { type ExtensionContext, StatusBarAlignment, window } from "vscode";
import { isSluiceDocument } from "./documents.ts";
import type { Sluice } from "./find-sluice.ts";

/** The status bar item. */
export interface Status {
  show(state: "starting" | "running" | "stopped", sluice: Sluice): void;
  /** Shows that the server could not be started. */
  fail(error: unknown): void;
  /** Shows the item if the extension handles the open document. */
  update(): void;
}

const origins = {
  settings: "named by the setting sluice.path",
  project: "of this project",
  extension: "of the extension",
};
const icons = { starting: "$(sync~spin)", running: "$(check)", stopped: "$(debug-disconnect)" };

/** Creates the status bar item. */
export function createStatus(context: ExtensionContext): Status {
  const item = window.createStatusBarItem("sluice.status", StatusBarAlignment.Right, 10);
  item.name = "Sluice";
  item.command = "sluice.commands";
  item.text = "Sluice";
  context.subscriptions.push(item);
  return {
    show(state, { version, origin }) {
      item.text = `${icons[state]} Sluice`;
      item.tooltip = `Language server ${state}: sluice ${version}, ${origins[origin]}`;
    },
    fail(error) {
      const reason = error instanceof Error ? error.message : String(error);
      item.text = "$(error) Sluice";
      item.tooltip = `The language server could not be started: ${reason}`;
      void window.showErrorMessage(`Sluice: ${item.tooltip}`);
    },
    update() {
      const document = window.activeTextEditor?.document;
      if (document !== undefined && isSluiceDocument(document)) item.show();
      else item.hide();
    },
  };
}
