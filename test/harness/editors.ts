import { existsSync } from "node:fs";
import { BrokerUnavailable } from "./brokers/broker.ts";
import { findProgram } from "./processes.ts";

/** Returns the editor's path: `NEOVIM_PATH`, or the machine's `nvim`. */
export function findNeovim(): string {
  const named = process.env.NEOVIM_PATH;
  const path = named ?? findProgram("nvim");
  if (path !== undefined && existsSync(path)) return path;
  throw new BrokerUnavailable(
    named === undefined ? "nvim is not installed (Debian package neovim)" : `${named} does not exist`,
  );
}
