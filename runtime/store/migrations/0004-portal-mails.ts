import type { Migration } from "./migration.ts";

/** The table of e-mails that are queued or were given up. */
export const portalMailTable: Migration = {
  name: "0004-portal-mails",
  async up({ schema }) {
    await schema
      .createTable("portal_mails")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("recipient", "text", (column) => column.notNull())
      .addColumn("letter", "text", (column) => column.notNull())
      .addColumn("date_created", "text", (column) => column.notNull())
      .addColumn("expires", "bigint", (column) => column.notNull())
      .addColumn("given_up", "integer", (column) => column.notNull())
      .addColumn("attempts", "integer", (column) => column.notNull())
      .addColumn("last_failure", "text")
      .addColumn("due", "bigint", (column) => column.notNull())
      .addColumn("lease_holder", "text")
      .addColumn("lease_until", "bigint", (column) => column.notNull())
      .execute();
    await schema.createIndex("portal_mails_due").on("portal_mails").columns(["given_up", "due"]).execute();
    await schema
      .createIndex("portal_mails_list")
      .on("portal_mails")
      .columns(["org_id", "date_created", "id"])
      .execute();
  },
};
