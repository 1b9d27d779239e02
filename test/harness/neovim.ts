import { existsSync } from "node:fs";
import { BrokerUnavailable } from "./brokers/broker.ts";
import { findProgram } from "./processes.ts";

/** The editor's path: `NEOVIM_PATH`, else `nvim` of the machine. */
export function findNeovim(): string {
  const named = process.env.NEOVIM_PATH;
  const path = named ?? findProgram("nvim");
  if (path !== undefined && existsSync(path)) return path;
  throw new BrokerUnavailable(
    named === undefined ? "nvim is not installed (Debian package neovim)" : `${named} does not exist`,
  );
}
