import type { Format } from "./format.ts";

/** Where a store is, as `runtime/store/address.ts` reads it. */
export const storeAddress: Format = {
  title: "the address of a store",
  pattern: /^(?:sqlite:(?!\/\/$).+|postgres(?:ql)?:\/\/\S+)$/,
  faults: [
    [/^\s|\s$/, "blanks stand around it"],
    [/^sqlite:/, "the path of the file is missing"],
    [/^postgres(?:ql)?:/, "what stands behind `postgres://` is no host with user and database"],
    [/^(?:mysql|mariadb|mongodb|redis|file|https?):/, "only SQLite and PostgreSQL keep records"],
  ],
  otherwise: "it begins with neither `sqlite:` nor `postgres://`",
  example: "sqlite:./gateway.db",
  fillings: ["sqlite:a", "postgres://a", "postgresql://a", "sqlite:", "postgres://", "//a", "a"],
};
