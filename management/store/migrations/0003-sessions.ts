import type { Migration } from "../../../runtime/store/migrations/migration.ts";

/** The table of OpenID Connect sessions. */
export const sessionTable: Migration = {
  name: "0003-sessions",
  async up({ schema }) {
    await schema
      .createTable("management_sessions")
      .addColumn("token_hash", "text", (column) => column.primaryKey())
      .addColumn("state_hash", "text", (column) => column.notNull().unique())
      .addColumn("rules_hash", "text", (column) => column.notNull())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("permissions", "text", (column) => column.notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("subject", "text", (column) => column.notNull())
      .addColumn("provider_session", "text")
      .addColumn("id_token", "text", (column) => column.notNull())
      .addColumn("expires", "text", (column) => column.notNull())
      .execute();
    await schema
      .createIndex("management_sessions_expires")
      .on("management_sessions")
      .columns(["expires"])
      .execute();
    await schema
      .createIndex("management_sessions_subject")
      .on("management_sessions")
      .columns(["subject"])
      .execute();
  },
};
