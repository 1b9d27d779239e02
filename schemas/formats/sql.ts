import type { Format } from "./format.ts";

/** The name of a table or a column: parts separated by dots, each plain or in double quotes. */
export const sqlName: Format = {
  title: "the name of a table or column",
  pattern:
    /^(?:[\p{L}_][\p{L}\p{N}_$]*|"[^"\p{Cc}\p{Cs}]+")(?:\.(?:[\p{L}_][\p{L}\p{N}_$]*|"[^"\p{Cc}\p{Cs}]+")){0,2}$/u,
  faults: [],
  otherwise: "it consists of letters, digits and `_`, or stands in double quotes",
  longest: 512,
  example: "shop.orders",
};

/** How the address of a database begins, an example, and the error text for other addresses. */
export interface DatabaseAddress {
  readonly start: RegExp;
  readonly example: string;
  readonly reason: string;
}

/** Databases by the name of their driver. SQLite accepts any text but other addresses as the path of a file. */
export const databases: ReadonlyMap<string, DatabaseAddress> = new Map([
  [
    "postgres",
    {
      start: /^postgres(?:ql)?:\/\//i,
      example: "postgres://user@host:5432/database",
      reason: "with `driver: postgres` it must start with `postgres://`",
    },
  ],
  [
    "sqlite",
    {
      start: /^(?!(?:postgres(?:ql)?|mysql|mariadb|mongodb|sqlserver):\/\/)/i,
      example: "file:/var/lib/orders.db",
      reason: "with `driver: sqlite` it must be the path of a file",
    },
  ],
]);
