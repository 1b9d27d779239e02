// `npm run bench`: prints the speed of compiled mappings relative to hand-written code. With `--check`, the exit code
// is 1 if a goal is missed. With a word, only the comparisons whose names contain it run. `endtoend [WORD]` runs
// whole gateways, with `--profile FOLDER` under a CPU profile; `footprint` measures their footprint before the first
// message.

import "../test/harness/patched-kafkajs.ts";
import { parseArgs } from "node:util";
import { createLogger } from "../runtime/process/log.ts";
import { measureChecking } from "./checking.ts";
import { measureCompiling } from "./compiling.ts";
import { measureDeploying } from "./deploying.ts";
import { measureEditing } from "./editor.ts";
import { measureEndToEnd } from "./endtoend/main.ts";
import { measureFootprint } from "./footprint/main.ts";
import { measureGuarded } from "./guarded.ts";
import { type Comparison, compare } from "./measure.ts";
import { measureParsing } from "./parsing.ts";
import { createSwitching } from "./switching.ts";
import { createTransforms } from "./transforms.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: "boolean" }, profile: { type: "string" } },
});
const [word = "", row = ""] = positionals;
const context = { log: createLogger("silent"), signal: new AbortController().signal };
let missed = 0;

for (const comparison of [...createTransforms(), createSwitching(context)]) {
  if (comparison.name.includes(word)) print(comparison);
}
if ("compiling".includes(word)) {
  for (const { name, shown, reached } of measureCompiling()) line(name, shown, reached);
}
if ("parsing".includes(word)) {
  for (const { name, shown, reached } of measureParsing()) line(name, shown, reached);
}
if ("checking".includes(word)) {
  for (const { name, shown, reached } of measureChecking()) line(name, shown, reached);
}
if ("gateway".includes(word)) {
  for (const { name, shown, reached } of await measureGuarded()) line(name, shown, reached);
}
if (word !== "" && "editor".startsWith(word)) {
  for (const { name, shown, reached } of await measureEditing()) line(name, shown, reached);
}
// Runs only if it is named: it starts a broker and takes as long as all others together.
if (word !== "" && "deploying".startsWith(word)) {
  for (const { name, shown, reached } of await measureDeploying()) line(name, shown, reached);
}
if (word === "footprint") {
  for await (const { name, shown, reached } of measureFootprint()) line(name, shown, reached);
}
if (word === "endtoend") {
  for await (const { name, shown, reached } of measureEndToEnd(row, options.profile))
    line(name, shown, reached);
}
process.exitCode = options.check === true && missed > 0 ? 1 : 0;

function print(comparison: Comparison): void {
  requireSameBytes(comparison);
  const { name, baseline, candidate, speed, goal } = compare(comparison);
  const times = `by hand ${baseline.toFixed(2)} µs, compiled ${candidate.toFixed(2)} µs`;
  line(name, `${speed.toFixed(2)} of its speed (at least ${goal}); ${times}`, speed >= goal);
}

/** Throws if the programs of a comparison do not produce the same output. */
function requireSameBytes({ name, messages, baseline, candidate }: Comparison): void {
  for (const message of messages) {
    const [byHand, compiled] = [String(baseline(message)), String(candidate(message))];
    if (byHand !== compiled) throw new Error(`${name} differs:\n${byHand}\n${compiled}`);
  }
}

function line(name: string, shown: string, reached: boolean): void {
  if (!reached) missed++;
  console.log(`${reached ? "    " : "miss"}  ${name.padEnd(48)} ${shown}`);
}
