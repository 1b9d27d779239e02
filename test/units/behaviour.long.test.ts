import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { isMap, parseDocument, visit } from "yaml";
import { planDocuments } from "../../compiler/compile.ts";
import { emitApi } from "../../compiler/emit/api.ts";
import { renderCode } from "../../compiler/emit/render.ts";
import { createScripts } from "../../compiler/emit/scripts.ts";
import { type FileSystem, nodeFileSystem } from "../../compiler/parse/document/file-system.ts";
import { streamDigests } from "../../compiler/plan/digests.ts";
import type { ApiPlan } from "../../compiler/plan/plan.ts";
import { entryOf } from "../corpus/entry.ts";
import { projectRoot } from "../harness/directories.ts";

// What digests promise, held against every correct document there is: lines that move change none, and whatever changes
// the code of a stream changes one of its digests.

const corpus = join(projectRoot, "test/corpus");
const names = readdirSync(corpus, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

/** The machine's files, but for one whose text is another. */
function withText(path: string, text: string): FileSystem {
  return {
    ...nodeFileSystem,
    readFile: async (file, limit) =>
      resolve(file) === path ? new TextEncoder().encode(text) : nodeFileSystem.readFile(file, limit),
  };
}

interface Stream {
  readonly digests: string;
  /** Its code, without what cites where it was written and what it is called: comments, and the places of failures. */
  readonly code: string;
}

/** The streams of a document or set, by API and name; `undefined` where it does not compile. */
async function streamsOf(
  entry: string,
  fileSystem: FileSystem,
): Promise<ReadonlyMap<string, Stream> | undefined> {
  const { plan } = await planDocuments([entry], { fileSystem });
  if (plan === undefined) return undefined;
  return new Map(
    plan.apis.flatMap((api) => {
      const digests = streamDigests(api);
      return api.streams.map((stream) => {
        const all = { digests: JSON.stringify(digests.get(stream.name)), code: codeOf(api, stream.name) };
        return [`${api.id} ${stream.name}`, all] as const;
      });
    }),
  );
}

function codeOf(api: ApiPlan, stream: string): string {
  const scripts = createScripts();
  const streams = api.streams.filter(({ name }) => name === stream);
  const { listenPath, id, file, access } = api;
  const alone = { id, file, listenPath, logged: false, protections: [], access, streams };
  const code = [emitApi(alone, scripts), ...scripts.functions()].map((each) => renderCode(each)).join("\n");
  return code.replace(/^\s*\/\/ .*$/gm, "").replace(/"[^"\n]+:\d+",\s*"(?:[^"\\\n]|\\.)*"/g, '""');
}

async function entryIn(name: string) {
  const folder = join(corpus, name);
  const entry = join(folder, entryOf(readdirSync(folder)));
  const text = new TextDecoder().decode(await nodeFileSystem.readFile(entry, 1 << 24));
  return { entry, text };
}

test("moving lines changes no digest", async () => {
  for (const name of names) {
    const { entry, text } = await entryIn(name);
    const moved = entry.endsWith(".json") ? `\n\n\n${text}` : `# moved\n\n${text}`;
    const [before, after] = [
      await streamsOf(entry, nodeFileSystem),
      await streamsOf(entry, withText(entry, moved)),
    ];
    for (const [stream, { digests }] of before ?? [])
      assert.is(after?.get(stream)?.digests, digests, `${name} ${stream}`);
    assert.is(after?.size, before?.size, name);
  }
});

test("any change of a stream's code changes one of its digests", async () => {
  let changed = 0;
  for (const [index, name] of names.entries()) {
    const { entry, text } = await entryIn(name);
    const before = await streamsOf(entry, nodeFileSystem);
    for (const other of changesOf(text, index)) {
      const after = await streamsOf(entry, withText(entry, other));
      for (const [stream, { digests, code }] of after ?? []) {
        const former = before?.get(stream);
        if (former === undefined || former.code === code) continue;
        changed += 1;
        assert.is.not(digests, former.digests, `${name} ${stream}:\n${code}`);
      }
    }
  }
  assert.ok(changed > 100, `${changed} changes`);
});

/** Some texts that differ from `text` in one value below `streams`, or at the top of a bare stream. */
function* changesOf(text: string, seed: number): Iterable<string> {
  const places: (readonly [start: number, end: number, value: string])[] = [];
  const document = parseDocument(text);
  const streams = ["x-gw-streaming", "x-tyk-streaming"].map((key) => document.get(key)).find(isMap);
  visit(streams ?? document.contents, {
    Scalar(key, { value, range, type }) {
      if (key === "key" || range === undefined || range === null) return;
      const [start, end] = range;
      if (typeof value === "number") places.push([start, end, String(value + 1)]);
      else if (typeof value === "boolean") places.push([start, end, String(!value)]);
      else if (type === "PLAIN" && typeof value === "string") places.push([start, end, `${value}x`]);
      else if (type === "BLOCK_LITERAL")
        places.push([start, end, `${text.slice(start, end).replace(/\d/, "7")}`]);
    },
  });
  // Every few of them: all would take minutes.
  const step = Math.max(1, Math.floor(places.length / 6));
  for (let at = seed % step; at < places.length; at += step) {
    const [start, end, value] = places[at] ?? [0, 0, ""];
    yield text.slice(0, start) + value + text.slice(end);
  }
}

test.run();
