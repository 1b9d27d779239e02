// Runs a script under a Node that can read it. Plain JavaScript on purpose: every Node since 12.20 can
// parse this file, so that an old one gets a sentence and not a syntax error.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

// By `require`, since `import` reads every property of these modules, and some load half of Node.
const require = createRequire(import.meta.url);

/** The oldest Node that runs TypeScript as it is. */
const oldestForSources = "24.0.0";

/** The oldest Node that runs the bundled command line; gateways ask for a newer one themselves. */
const oldestForBundle = "20.19.0";

const forwardedSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"];

/**
 * Runs `script` with `args` as `node script ...args` would: in this process where it is Node 24 or newer, else under the
 * Node that the optional platform package brought, else in this process where `script` is a bundle that it can run.
 * Without any of them it prints one line and exits 2.
 */
export function runUnderNode(script, args) {
  if (isThisAtLeast(oldestForSources)) return runHere(script, args);
  const node = findPlatformNode();
  if (node !== undefined) return runThere(node, [script].concat(args));
  const oldest = script.endsWith(".ts") ? oldestForSources : oldestForBundle;
  return isThisAtLeast(oldest) ? runHere(script, args) : refuse(oldest, "");
}

function isThisAtLeast(oldest) {
  const [major, minor] = oldest.split(".").map(Number);
  const [thisMajor, thisMinor] = process.versions.node.split(".").map(Number);
  return thisMajor > major || (thisMajor === major && thisMinor >= minor);
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
  return (
    import("node:module")
      // Node 20 has no such cache.
      // biome-ignore lint/complexity/useOptionalChain: Node 12 could not parse it
      .then((module) => module.enableCompileCache && module.enableCompileCache())
      .then(() => import(pathToFileURL(script).href))
  );
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
  child.on("error", (error) => refuse(oldestForSources, ` (${node} cannot be started: ${error.message})`));
  child.on("exit", (status, signal) => {
    if (signal === null) process.exit(status);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // Reached only where the signal does not end a process; this is the shell's convention.
    process.exitCode = 128 + require("node:os").constants.signals[signal];
  });
}

function refuse(oldest, detail) {
  console.error(
    `sluice needs Node ${oldest.replace(/\.0$/, "")} or newer and this is ${process.version}: install it, or in a clone ` +
      `run \`npm ci\` without --omit=optional, which brings one on Linux and Windows (x64)${detail}.`,
  );
  process.exit(1);
}
