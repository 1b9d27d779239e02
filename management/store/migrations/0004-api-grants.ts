import type { Migration } from "../../../runtime/store/migrations/migration.ts";

/** What users, and people who signed in, may do with some APIs only. */
export const apiGrants: Migration = {
  name: "0004-api-grants",
  async up({ schema }) {
    for (const table of ["management_users", "management_sessions"]) {
      await schema
        .alterTable(table)
        .addColumn("apis", "text", (column) => column.notNull().defaultTo("[]"))
        .execute();
    }
  },
};
