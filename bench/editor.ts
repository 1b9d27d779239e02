// Measures how long an editor waits for `sluice lsp`: from a keystroke to its diagnostics, and for responses to
// requests. Median wall-clock times over the real protocol.

import { readFileSync } from "node:fs";
import { type Editor, marked, startEditor } from "../test/language-server/client.ts";
import type { Figure } from "./compiling.ts";
import { createLargeDescription } from "./descriptions.ts";
import { median } from "./measure.ts";

const keystrokes = 31;

/** Returns the figures of editing a document of 2,000 lines with 100 streams, and a description of 10 MB. */
export async function measureEditing(): Promise<readonly Figure[]> {
  return [...(await measureStreams()), ...(await measureLarge())];
}

async function measureStreams(): Promise<readonly Figure[]> {
  const editor = await startEditor();
  try {
    const { text, at } = marked(createStreams(100));
    const lines = text.split("\n").length;
    await editor.open("streams.yaml", text);
    const typing = await typeInto(editor, "streams.yaml", at);
    const completion = await ask(editor, "textDocument/completion", "streams.yaml", at);
    const hover = await ask(editor, "textDocument/hover", "streams.yaml", at - 3);
    return [
      figure(`keystroke to diagnostics, ${lines} lines`, typing, 50),
      figure("completion there", completion, 30),
      figure("hover there", hover, 30),
    ];
  } finally {
    await editor.stop();
  }
}

async function measureLarge(): Promise<readonly Figure[]> {
  const editor = await startEditor();
  try {
    const text = JSON.stringify(createLargeDescription(5800), undefined, 1);
    await editor.open("large.json", text);
    await editor.diagnose("large.json");
    const typing = await typeInto(editor, "large.json", text.indexOf('"title": "') + 10, 7);
    const completion = await ask(
      editor,
      "textDocument/completion",
      "large.json",
      text.indexOf("this.amount") + 8,
    );
    const status = readFileSync(`/proc/${editor.pid}/status`, "utf8");
    const memory = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    const size = (text.length / 1e6).toFixed(1);
    return [
      figure(`keystroke to diagnostics, ${size} MB`, typing, 250),
      figure("completion there", completion, 30),
      { name: "memory with it open", shown: `${memory.toFixed(0)} MB (at most 350)`, reached: memory <= 350 },
    ];
  } finally {
    await editor.stop();
  }
}

async function typeInto(editor: Editor, name: string, at: number, count = keystrokes): Promise<number> {
  await editor.diagnose(name);
  const times: number[] = [];
  for (let key = 0; key < count; key++) {
    const start = performance.now();
    await editor.edit(name, at, at + (key % 2), key % 2 === 0 ? "a" : "");
    await editor.diagnose(name);
    times.push(performance.now() - start);
  }
  return median(times.slice(2));
}

async function ask(editor: Editor, method: string, name: string, at: number): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < keystrokes; count++) {
    const start = performance.now();
    await editor.ask(method, name, at);
    times.push(performance.now() - start);
  }
  return median(times.slice(2));
}

function figure(name: string, milliseconds: number, limit: number): Figure {
  return { name, shown: `${milliseconds.toFixed(0)} ms (at most ${limit})`, reached: milliseconds <= limit };
}

/** Returns streams of twenty lines each; `‸` marks the cursor. */
function createStreams(count: number): string {
  const stream = (index: number) => `    s${index}:
      input:
        http_server: { path: /in${index} }
      pipeline:
        processors:
          - mapping: |
              root.id = this.id${index === count / 2 ? "‸" : ""}
              root.total = this.items.map_each(i -> i.price * i.count).sum()
              root.name = this.customer.name.uppercase()
              let x = this.a.b
              root.x = $x.string() + "abc"
              meta key = this.key
              root.when = now()
              root.all = this.items.filter(i -> i.price > 10)
          - mapping: |
              root = this
              root.extra = this.total * 2
      output:
        http_server: { stream_path: /out${index} }
`;
  const head =
    "openapi: 3.1.0\ninfo: { title: Streams, version: 1.0.0 }\npaths: {}\nx-gw-streaming:\n  streams:\n";
  return head + Array.from({ length: count }, (_, index) => stream(index)).join("");
}
