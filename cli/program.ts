// Assembles all commands of the command line into one program.

import type { Command } from "commander";
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

/** Returns the program with every command. The implementation of a command is loaded when it runs. */
export function createSluice(): Command {
  return createProgram([
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
  ]);
}
