// The command line: arguments in, exit codes out. 0 is fine, 1 is diagnostics or a failure, 2 is misuse.

import "../compiler/older-node.ts";
import { CommanderError } from "commander";
import { describeCrash } from "../compiler/cli/crash.ts";
import { createProgram } from "../compiler/cli/program.ts";
import { addCompletion } from "./completion.ts";
import { addDoctor } from "./doctor.ts";
import { addGitops } from "./gitops/add-gitops.ts";
import { addImport } from "./import/add-import.ts";
import { addLsp } from "./lsp.ts";
import { addNew } from "./new.ts";
import { addPlay } from "./play.ts";
import { addServe } from "./serve.ts";
import { addStore } from "./store/add-store.ts";
import { addTail } from "./tail/add-tail.ts";
import { addTop } from "./top/add-top.ts";
import { addTopology } from "./topology.ts";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of the pipe has gone (`sluice schema | head -1`).
  if (error.code === "EPIPE") process.exit();
  throw error;
});

try {
  await createProgram([
    addNew,
    addDoctor,
    addStore,
    addTop,
    addTail,
    addTopology,
    addServe,
    addGitops,
    addImport,
    addLsp,
    addPlay,
    addCompletion,
  ]).parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed what was wrong, or the help or version that was asked for.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.stderr.write(`${describeCrash(error)}\n`);
    process.exitCode = 1;
  }
}
