// Loads modules that replace each other, as deployments do, and prints how many of them remain. In a heap that has room
// for a tenth of them, it completes only if they are collected with their source texts, which V8 keeps for a while.

import { setImmediate as turn } from "node:timers/promises";
import { loadUnit } from "../../../runtime/gateway/artifact/load-unit.ts";

const runtime = { digest: "sha256-0", load: async () => ({}) };
const made: WeakRef<object>[] = [];
let current: unknown;

async function deploy(number: number): Promise<void> {
  const text = "x".repeat(1_000_000);
  const code = `const table = ${JSON.stringify(text)} + ${number}; module.exports = { default: { read: () => table } };`;
  current = await loadUnit({ code, imports: [], filename: `orders ${number}.js` }, runtime);
  if (typeof current === "object" && current !== null) made.push(new WeakRef(current));
}

for (let number = 0; number < 250; number++) {
  await deploy(number);
  await turn();
}
for (let round = 0; round < 3; round++) {
  await turn();
  globalThis.gc?.();
}
const alive = made.filter((reference) => reference.deref() !== undefined).length;
process.stdout.write(JSON.stringify({ made: made.length, alive, held: typeof current }));
