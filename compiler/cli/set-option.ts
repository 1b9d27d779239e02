// `--set`: which set a command is about that names none.

import { Option } from "commander";

/** What commands with `--set` were told. */
export interface SetOption {
  readonly set?: string;
}

/** `--set` */
export function setOption(): Option {
  return new Option(
    "--set <file>",
    "The gateway.yaml whose `components` count; that of the working directory by default.",
  );
}
