// Measures how long `sluice check` takes: cold compared with an empty Node, large descriptions compared with their bare
// parser, and large sets. Wall-clock time of processes, as users experience it; medians of alternating runs.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { stringify } from "yaml";
import type { Figure } from "./compiling.ts";
import { createLargeDescription, createSetDocument } from "./descriptions.ts";
import { installCommand } from "./installed.ts";
import { median } from "./measure.ts";

const root = join(import.meta.dirname, "..");
const rounds = 11;

/** Returns all figures of checking. Uses a temporary folder for files. */
export function measureChecking(): readonly Figure[] {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  try {
    const command = installCommand();
    return [
      measureCold(command, folder),
      ...measureLarge(command, folder),
      ...measureSets(withMemory(command, folder), folder),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function measureCold(command: string, folder: string): Figure {
  const empty = join(folder, "empty.mjs");
  writeFileSync(empty, "");
  const document = join(root, "examples/orchestration/orchestration.yaml");
  const ratio = ratioOf([command, "check", document], [empty]);
  return {
    name: "check of one document, cold, against starting Node",
    shown: `${ratio.toFixed(2)} times (at most 8, target 6)`,
    reached: ratio <= 8,
  };
}

/** Compares with the bare parser, which also reads and parses the file in a process of its own. */
function measureLarge(command: string, folder: string): readonly Figure[] {
  const require = createRequire(import.meta.url);
  const parsers = {
    json: `import jsonc from ${quoteUrl(require.resolve("jsonc-parser"))}; const parse = jsonc.parseTree;`,
    yaml: `import { parseDocument as parse } from ${quoteUrl(require.resolve("yaml"))};`,
  };
  const texts = {
    json: JSON.stringify(createLargeDescription(2900), undefined, 1),
    yaml: stringify(createLargeDescription(1250)),
  };
  return (["json", "yaml"] as const).map((format) => {
    const [document, bare] = [join(folder, `large.${format}`), join(folder, `${format}.mjs`)];
    writeFileSync(document, texts[format]);
    const read = `import { readFileSync } from "node:fs"; parse(readFileSync(${JSON.stringify(document)}, "utf8"));`;
    writeFileSync(bare, `${parsers[format]} ${read}`);
    const ratio = ratioOf([command, "check", document], [bare], 5);
    const size = (texts[format].length / 1e6).toFixed(1);
    return {
      name: `${size} MB of ${format.toUpperCase()} against its bare parser`,
      shown: `${ratio.toFixed(2)} times (at most 3)`,
      reached: ratio <= 3,
    };
  });
}

function measureSets(command: string, folder: string): readonly Figure[] {
  const paths = Array.from({ length: 200 }, (_, index) => {
    const path = join(folder, `api-${index}.yaml`);
    writeFileSync(path, stringify(createSetDocument(index, 10)));
    return path;
  });
  const half = run(command, ["check", ...paths.slice(0, 100)]);
  const whole = run(command, ["check", ...paths]);
  const megabytes = Number(/(\d+) MB$/.exec(whole.error.trim())?.[1]);
  const growth = whole.seconds / half.seconds;
  return [
    {
      name: "200 documents of 10 streams each",
      shown: `${whole.seconds.toFixed(1)} s (under 10), ${megabytes} MB (under 600)`,
      reached: whole.seconds < 10 && megabytes < 600,
    },
    {
      name: "200 documents against 100",
      shown: `${growth.toFixed(2)} times (below 2.4)`,
      reached: growth < 2.4,
    },
  ];
}

/** Writes a script that runs the command and prints its memory use at the end. */
function withMemory(command: string, folder: string): string {
  const path = join(folder, "with-memory.mjs");
  const reported = "process.stderr.write(`${Math.round(process.resourceUsage().maxRSS / 1024)} MB`)";
  writeFileSync(path, `process.on("exit", () => ${reported});\nawait import(${quoteUrl(command)});\n`);
  return path;
}

function quoteUrl(path: string): string {
  return JSON.stringify(pathToFileURL(path).href);
}

/** Returns the ratio of the median times of two commands, run alternately. */
function ratioOf(candidate: readonly string[], baseline: readonly string[], times = rounds): number {
  const [first, second]: [number[], number[]] = [[], []];
  for (let round = 0; round <= times; round++) {
    for (const [args, seconds] of [
      [candidate, first],
      [baseline, second],
    ] as const) {
      const [script = "", ...rest] = args;
      const outcome = run(script, rest);
      // The first round fills the compile cache and the caches of the file system.
      if (round > 0) seconds.push(outcome.seconds);
    }
  }
  return median(first) / median(second);
}

function run(script: string, args: readonly string[]): { readonly seconds: number; readonly error: string } {
  const start = performance.now();
  const { status, stderr, stdout } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${script} exits with ${status}: ${stdout}${stderr}`);
  return { seconds: (performance.now() - start) / 1000, error: stderr };
}
