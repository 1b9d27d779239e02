import type { Migration } from "../../../runtime/store/migrations/migration.ts";

/** Which user made a change: a name can be given to another user later. */
export const auditActors: Migration = {
  name: "0002-audit-actors",
  async up(connection) {
    await connection.schema.alterTable("management_audit").addColumn("actor_id", "text").execute();
  },
};
