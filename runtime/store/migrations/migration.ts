import type { Transaction } from "kysely";

/** One step from the tables of a version to those of the next, in a transaction of all that are missing. */
export interface Migration {
  /** A number of four digits and what it is about. */
  readonly name: string;
  up(connection: Transaction<unknown>): Promise<void>;
}
