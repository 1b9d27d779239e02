import type { Transaction } from "kysely";

/** A step from one version of the tables to the next. All missing steps run in one transaction. */
export interface Migration {
  /** Four digits and a short description, such as `0003-portal-sessions`. */
  readonly name: string;
  up(connection: Transaction<unknown>, kind: "sqlite" | "postgres"): Promise<void>;
}
