// Shows diagrams of a document's streams next to its text, and updates them when the document is saved.

import { randomBytes } from "node:crypto";
import {
  type ExtensionContext,
  Range,
  type Uri,
  ViewColumn,
  type WebviewPanel,
  window,
  workspace,
} from "vscode";
import type { Drawing } from "../../../management/drawing/drawing.ts";
import { type DrawnElement, describeNode, pictureOf } from "../../../management/drawing/picture.ts";
import { escapeMarkup, printSvg } from "../../../management/drawing/print-svg.ts";
import type { Runner } from "./runner.ts";

/** Returns a function that opens the diagram panel of a document; each document has one. */
export function createTopologyPanels(context: ExtensionContext, runner: Runner): (uri: Uri) => Promise<void> {
  const panels = new Map<string, WebviewPanel>();
  const draw = async (uri: Uri, panel: WebviewPanel): Promise<void> => {
    const { stdout, stderr } = await runner.run(uri, ["topology", uri.fsPath, "--format", "json"]);
    const drawings: readonly Drawing[] = stdout === "" ? [] : JSON.parse(stdout);
    panel.webview.html = pageOf(drawings, stderr);
  };
  context.subscriptions.push(
    workspace.onDidSaveTextDocument(({ uri }) => {
      const panel = panels.get(uri.toString());
      if (panel !== undefined) void draw(uri, panel);
    }),
  );
  return async (uri) => {
    const known = panels.get(uri.toString());
    const title = `Topology of ${uri.path.split("/").at(-1)}`;
    const panel =
      known ??
      window.createWebviewPanel("sluice.topology", title, ViewColumn.Beside, { enableScripts: true });
    if (known === undefined) {
      panels.set(uri.toString(), panel);
      panel.onDidDispose(() => panels.delete(uri.toString()));
      panel.webview.onDidReceiveMessage((message: unknown) => visit(uri, message));
    } else panel.reveal();
    await draw(uri, panel);
  };
}

/** Goes to the line of a component that the user selected in the diagram. */
async function visit(uri: Uri, message: unknown): Promise<void> {
  const line = Number((message as { line?: unknown } | undefined)?.line);
  if (!Number.isSafeInteger(line) || line < 1) return;
  const selection = new Range(line - 1, 0, line - 1, 0);
  await window.showTextDocument(uri, { viewColumn: ViewColumn.One, selection });
}

/**
 * Returns the page of the panel. All content from documents is escaped, and the policy allows only the page's own
 * script.
 */
function pageOf(drawings: readonly Drawing[], stderr: string): string {
  const nonce = randomBytes(16).toString("base64");
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  const body =
    drawings.map(figureOf).join("") || `<pre>${escapeMarkup(stderr) || "There are no streams."}</pre>`;
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<style nonce="${nonce}">
figure { margin: 1em 0; overflow: auto }
figcaption { font-weight: 600; margin-bottom: .5em }
.node { cursor: pointer }
button { all: unset; cursor: pointer } button:focus-visible { outline: 1px solid var(--vscode-focusBorder) }
</style>${body}
<script nonce="${nonce}">
const editor = acquireVsCodeApi();
addEventListener("click", ({ target }) => {
  const line = target.closest("[data-line]")?.dataset.line;
  if (line) editor.postMessage({ line: Number(line) });
});
</script>`;
}

function figureOf(drawing: Drawing): string {
  const lines = new Map(drawing.nodes.map(({ id, place }) => [id, place.line]));
  const shape = pictureOf(drawing);
  const items = drawing.nodes.map(
    (node) => `<li><button data-line="${node.place.line}">${escapeMarkup(describeNode(node))}</button></li>`,
  );
  const picture = shape === undefined ? "" : printSvg(withLines(shape, lines));
  const list = `<details${shape === undefined ? " open" : ""}><summary>As a list</summary><ol>${items.join("")}</ol></details>`;
  return `<figure><figcaption>${escapeMarkup(drawing.stream)}</figcaption>${picture}${list}</figure>`;
}

/** Adds the lines of their components to shapes. */
function withLines(shape: DrawnElement, lines: ReadonlyMap<string, number>): DrawnElement {
  const line = shape.node === undefined ? undefined : lines.get(shape.node);
  const attributes = line === undefined ? shape.attributes : { ...shape.attributes, "data-line": line };
  const { inside } = shape;
  return {
    ...shape,
    attributes,
    inside: typeof inside === "string" ? inside : inside.map((each) => withLines(each, lines)),
  };
}
