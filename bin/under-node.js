// Runs a script under a Node that can read it. Plain JavaScript on purpose: every Node since 12.20 can
// parse this file, so that an old one gets a sentence and not a syntax error.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

// By `require`, since `import` reads every property of these modules, and some load half of Node.
const require = createRequire(import.meta.url);

/** The oldest Node that runs TypeScript as it is and has what the gateway needs. */
export const oldestNode = 24;

const forwardedSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"];

/**
 * Runs `script` with `args` as `node script ...args` would, under Node 24 or newer: this process where
 * it is new enough, else the one that the optional platform package brought. Without either it prints
 * one line and exits 2.
 */
export function runUnderNode(script, args) {
  if (Number(process.versions.node.split(".")[0]) >= oldestNode) return runHere(script, args);
  const node = findPlatformNode();
  if (node === undefined) return refuse("");
  return runThere(node, [script].concat(args));
}

/** The Node that `node-<platform>-<arch>` carries, a package npm installs only where it fits. */
function findPlatformNode() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  let manifest;
  try {
    manifest = require.resolve(`node-${platform}-${process.arch}/package.json`);
  } catch (error) {
    if (error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
  return join(dirname(manifest), JSON.parse(require("node:fs").readFileSync(manifest, "utf8")).bin.node);
}

function runHere(script, args) {
  process.argv = [process.argv[0], script].concat(args);
  return import("node:module")
    .then((module) => module.enableCompileCache())
    .then(() => import(pathToFileURL(script).href));
}

function runThere(node, args) {
  const child = require("node:child_process").spawn(node, args, { stdio: "inherit" });
  for (const signal of forwardedSignals) {
    // Without a handler this process would die of the signal and leave the other one running.
    process.on(signal, () => {
      const sentByTerminal = signal === "SIGINT" && process.stdin.isTTY;
      // A terminal's Ctrl-C has reached the child already; a second one would mean "at once".
      if (!sentByTerminal) child.kill(signal);
    });
  }
  child.on("error", (error) => refuse(` (${node} cannot be started: ${error.message})`));
  child.on("exit", (status, signal) => {
    if (signal === null) process.exit(status);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // Reached only where the signal does not end a process; this is the shell's convention.
    process.exitCode = 128 + require("node:os").constants.signals[signal];
  });
}

function refuse(detail) {
  console.error(
    `sluice needs Node ${oldestNode} or newer and this is ${process.version}: install it, or in a clone ` +
      `run \`npm ci\` without --omit=optional, which brings one on Linux and Windows (x64)${detail}.`,
  );
  process.exit(2);
}
