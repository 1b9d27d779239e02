import { existsSync } from "node:fs";
import { BrokerUnavailable } from "./brokers/broker.ts";
import { findProgram } from "./processes.ts";

/** Returns the editor's path: `NEOVIM_PATH`, or the machine's `nvim`. */
export function findNeovim(): string {
  return findEditor("nvim", process.env.NEOVIM_PATH, "Debian package neovim");
}

/** Returns the editor's path: `EMACS_PATH`, or the machine's `emacs`. */
export function findEmacs(): string {
  const source = "Debian packages emacs-nox, elpa-eglot and elpa-yaml-mode";
  return findEditor("emacs", process.env.EMACS_PATH, source);
}

function findEditor(program: string, named: string | undefined, source: string): string {
  const path = named ?? findProgram(program);
  if (path !== undefined && existsSync(path)) return path;
  throw new BrokerUnavailable(
    named === undefined ? `${program} is not installed (${source})` : `${named} does not exist`,
  );
}
