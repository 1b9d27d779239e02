// `node scripts/run.js FILE ARGS…`: runs a file for the package scripts with the Node that npm installed if the
// machine's Node is too old, or reports what is missing.

import { resolve } from "node:path";
import { runUnderNode } from "../bin/under-node.js";

const [script, ...args] = process.argv.slice(2);
runUnderNode(resolve(script), args);
