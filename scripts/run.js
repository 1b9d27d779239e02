// `node scripts/run.js FILE ARGS…`: what the package scripts call, so that a clone on a machine with an
// old Node runs under the one that npm brought, or says what is missing.

import { resolve } from "node:path";
import { runUnderNode } from "../bin/under-node.js";

const [script, ...args] = process.argv.slice(2);
runUnderNode(resolve(script), args);
