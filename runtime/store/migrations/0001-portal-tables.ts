import type { Migration } from "./migration.ts";

/** The tables of the portal, of keys and of webhooks. */
export const portalTables: Migration = {
  name: "0001-portal-tables",
  async up({ schema }) {
    await schema
      .createTable("portal_requests")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("by_user", "text", (column) => column.notNull())
      .addColumn("approved", "integer", (column) => column.notNull())
      .addColumn("date_created", "text", (column) => column.notNull())
      .addColumn("record", "text", (column) => column.notNull())
      .execute();
    await schema
      .createIndex("portal_requests_list")
      .on("portal_requests")
      .columns(["org_id", "date_created", "id"])
      .execute();
    await schema
      .createIndex("portal_requests_filtered")
      .on("portal_requests")
      .columns(["org_id", "approved", "date_created", "id"])
      .execute();
    await schema
      .createIndex("portal_requests_by_user")
      .on("portal_requests")
      .columns(["org_id", "by_user"])
      .execute();

    await schema
      .createTable("portal_developers")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("email", "text", (column) => column.notNull())
      .addColumn("sso_key", "text")
      .addColumn("date_created", "text", (column) => column.notNull())
      .addColumn("record", "text", (column) => column.notNull())
      .addUniqueConstraint("portal_developers_email", ["org_id", "email"])
      .addUniqueConstraint("portal_developers_sso_key", ["org_id", "sso_key"])
      .execute();

    await schema
      .createTable("portal_documents")
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("id", "text", (column) => column.notNull())
      .addColumn("record", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("portal_documents_key", ["org_id", "kind"])
      .execute();

    await schema
      .createTable("portal_documentation")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("record", "text", (column) => column.notNull())
      .execute();

    await schema
      .createTable("portal_apps")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("developer_id", "text", (column) => column.notNull())
      .addColumn("record", "text", (column) => column.notNull())
      .execute();
    await schema
      .createIndex("portal_apps_by_developer")
      .on("portal_apps")
      .columns(["org_id", "developer_id"])
      .execute();

    await schema
      .createTable("policies")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("record", "text", (column) => column.notNull())
      .addUniqueConstraint("policies_name", ["org_id", "name"])
      .execute();

    await schema
      .createTable("keys")
      .addColumn("key_hash", "text", (column) => column.primaryKey())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("user_name", "text", (column) => column.unique())
      .addColumn("record", "text", (column) => column.notNull())
      .execute();

    await schema
      .createTable("oauth_clients")
      .addColumn("client_id", "text", (column) => column.primaryKey())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("policy_id", "text", (column) => column.notNull())
      .addColumn("record", "text", (column) => column.notNull())
      .execute();

    await schema
      .createTable("webhook_subscriptions")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("app_id", "text", (column) => column.notNull())
      .addColumn("record", "text", (column) => column.notNull())
      .execute();
    await schema
      .createIndex("webhook_subscriptions_by_app")
      .on("webhook_subscriptions")
      .columns(["org_id", "app_id"])
      .execute();

    await schema
      .createTable("webhook_dead_deliveries")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("subscription_id", "text", (column) => column.notNull())
      .addColumn("date_created", "text", (column) => column.notNull())
      .addColumn("record", "text", (column) => column.notNull())
      .execute();
    await schema
      .createIndex("webhook_dead_deliveries_list")
      .on("webhook_dead_deliveries")
      .columns(["subscription_id", "date_created", "id"])
      .execute();

    await schema
      .createTable("revisions")
      .addColumn("topic", "text", (column) => column.primaryKey())
      .addColumn("revision", "integer", (column) => column.notNull())
      .execute();
  },
};
