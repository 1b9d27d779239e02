#!/usr/bin/env node
// The command `sluice`: the bundled command line of a package, the sources of a clone.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runUnderNode } from "./under-node.js";

const source = fileURLToPath(new URL("../compiler/cli/main.ts", import.meta.url));
const bundle = fileURLToPath(new URL("../dist/cli.js", import.meta.url));

// A clone has both after `npm ci`; there the sources are what somebody is working on.
runUnderNode(existsSync(source) ? source : bundle, process.argv.slice(2));
