import type { Migration } from "../../../runtime/store/migrations/migration.ts";

/** The column with the id of the user who made a change, because names can be reused. */
export const auditActors: Migration = {
  name: "0002-audit-actors",
  async up(connection) {
    await connection.schema.alterTable("management_audit").addColumn("actor_id", "text").execute();
  },
};
