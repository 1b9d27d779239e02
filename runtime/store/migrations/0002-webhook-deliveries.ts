import type { Migration } from "./migration.ts";

/** The tables of pending webhook deliveries. */
export const webhookDeliveryTables: Migration = {
  name: "0002-webhook-deliveries",
  async up({ schema }) {
    await schema
      .createTable("webhook_wanted_events")
      .addColumn("subscription_id", "text", (column) => column.notNull())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("event", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("webhook_wanted_events_key", ["subscription_id", "event"])
      .execute();
    await schema
      .createIndex("webhook_wanted_events_find")
      .on("webhook_wanted_events")
      .columns(["org_id", "event"])
      .execute();

    await schema
      .createTable("webhook_events")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("event", "text", (column) => column.notNull())
      .addColumn("date_created", "text", (column) => column.notNull())
      .addColumn("headers", "text", (column) => column.notNull())
      .addColumn("secret", "text")
      .addColumn("body", "text", (column) => column.notNull())
      .execute();

    await schema
      .createTable("webhook_deliveries")
      .addColumn("position", "bigint", (column) => column.primaryKey())
      .addColumn("id", "text", (column) => column.notNull())
      .addColumn("subscription_id", "text", (column) => column.notNull())
      .addColumn("event_id", "text", (column) => column.notNull())
      .execute();
    await schema
      .createIndex("webhook_deliveries_next")
      .on("webhook_deliveries")
      .columns(["subscription_id", "position"])
      .execute();
    await schema
      .createIndex("webhook_deliveries_by_event")
      .on("webhook_deliveries")
      .columns(["event_id"])
      .execute();

    await schema
      .createTable("webhook_positions")
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("position", "bigint", (column) => column.notNull())
      .execute();

    await schema
      .createTable("webhook_queues")
      .addColumn("subscription_id", "text", (column) => column.primaryKey())
      .addColumn("paused", "integer", (column) => column.notNull())
      .addColumn("attempts", "integer", (column) => column.notNull())
      .addColumn("failures", "integer", (column) => column.notNull())
      .addColumn("last_failure", "text")
      .addColumn("due", "bigint", (column) => column.notNull())
      .addColumn("lease_holder", "text")
      .addColumn("lease_until", "bigint", (column) => column.notNull())
      .execute();
    await schema.createIndex("webhook_queues_due").on("webhook_queues").columns(["paused", "due"]).execute();
  },
};

/** The column of recent attempts. */
export const webhookAttempts: Migration = {
  name: "0010-webhook-attempts",
  async up({ schema }) {
    await schema.alterTable("webhook_queues").addColumn("recent", "text").execute();
  },
};
