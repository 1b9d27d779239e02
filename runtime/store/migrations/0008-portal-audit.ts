import type { Migration } from "./migration.ts";

/** The table of changes made through the portal. */
export const portalAuditTable: Migration = {
  name: "0008-portal-audit",
  async up({ schema }) {
    await schema
      .createTable("portal_audit")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("date_created", "text", (column) => column.notNull())
      .addColumn("actor", "text", (column) => column.notNull())
      .addColumn("action", "text", (column) => column.notNull())
      .addColumn("object", "text", (column) => column.notNull())
      .execute();
    await schema.createIndex("portal_audit_list").on("portal_audit").columns(["org_id", "id"]).execute();
  },
};

/** The column with the names of administrators who signed in at a provider. */
export const portalAuditNames: Migration = {
  name: "0009-portal-audit-names",
  async up({ schema }) {
    await schema.alterTable("portal_audit").addColumn("actor_name", "text").execute();
  },
};
