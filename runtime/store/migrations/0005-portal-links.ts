import type { Migration } from "./migration.ts";

/** The table of links in e-mails, each of which can be used once. */
export const portalLinkTable: Migration = {
  name: "0005-portal-links",
  async up({ schema }) {
    await schema
      .createTable("portal_links")
      .addColumn("token_hash", "text", (column) => column.primaryKey())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("email", "text", (column) => column.notNull())
      .addColumn("record", "text", (column) => column.notNull())
      .addColumn("expires", "text", (column) => column.notNull())
      .execute();
    await schema
      .createIndex("portal_links_by_email")
      .on("portal_links")
      .columns(["org_id", "kind", "email"])
      .execute();
    await schema.createIndex("portal_links_expires").on("portal_links").columns(["expires"]).execute();
  },
};
