import type { Format } from "./format.ts";

/** The address of a store, as read by `runtime/store/address.ts`. */
export const storeAddress: Format = {
  title: "the address of a store",
  pattern: /^(?:sqlite:(?!\/\/$).+|postgres(?:ql)?:\/\/\S+)$/,
  faults: [
    [/^\s|\s$/, "it has spaces around it"],
    [/^sqlite:/, "the path of the file is missing"],
    [/^postgres(?:ql)?:/, "`postgres://` must be followed by a user, a host and a database"],
    [/^(?:mysql|mariadb|mongodb|redis|file|https?):/, "only SQLite and PostgreSQL are supported"],
  ],
  otherwise: "it must start with `sqlite:` or `postgres://`",
  example: "sqlite:./gateway.db",
  fillings: ["sqlite:a", "postgres://a", "postgresql://a", "sqlite:", "postgres://", "//a", "a"],
};
