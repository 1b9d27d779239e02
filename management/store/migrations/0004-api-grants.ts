import type { Migration } from "../../../runtime/store/migrations/migration.ts";

/** The columns with grants for single APIs, of users and of people who signed in. */
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
