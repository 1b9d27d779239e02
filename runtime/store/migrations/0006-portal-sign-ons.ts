import type { Migration } from "./migration.ts";

/** The table of OpenID Connect sessions at the portal's page. */
export const portalSignOnTable: Migration = {
  name: "0006-portal-sign-ons",
  async up({ schema }) {
    await schema
      .createTable("portal_sign_ons")
      .addColumn("token_hash", "text", (column) => column.primaryKey())
      .addColumn("state_hash", "text", (column) => column.notNull().unique())
      .addColumn("rules_hash", "text", (column) => column.notNull())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("role", "text", (column) => column.notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("subject", "text", (column) => column.notNull())
      .addColumn("provider_session", "text")
      .addColumn("id_token", "text", (column) => column.notNull())
      .addColumn("expires", "text", (column) => column.notNull())
      .execute();
    await schema.createIndex("portal_sign_ons_expires").on("portal_sign_ons").columns(["expires"]).execute();
    await schema.createIndex("portal_sign_ons_subject").on("portal_sign_ons").columns(["subject"]).execute();
  },
};
