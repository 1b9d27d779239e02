import type { Migration } from "./migration.ts";

/** The table of developer sessions at the portal's page. */
export const portalSessionTable: Migration = {
  name: "0003-portal-sessions",
  async up({ schema }) {
    await schema
      .createTable("portal_sessions")
      .addColumn("token_hash", "text", (column) => column.primaryKey())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("developer_id", "text", (column) => column.notNull())
      .addColumn("password_updated", "text", (column) => column.notNull())
      .addColumn("expires", "text", (column) => column.notNull())
      .execute();
    await schema.createIndex("portal_sessions_expires").on("portal_sessions").columns(["expires"]).execute();
  },
};
