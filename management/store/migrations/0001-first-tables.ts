import type { CreateTableBuilder, Transaction } from "kysely";
import type { Migration } from "../../../runtime/store/migrations/migration.ts";

/** The tables of users, APIs with their versions, deployments, gateways, and the audit log. */
export const firstTables: Migration = {
  name: "0001-first-tables",
  async up(connection) {
    await createApis(connection);
    await createDeployments(connection);
    await table(connection, "management_users", ["org_id", "name", "key_hash", "permissions", "created_at"])
      .addColumn("id", "text", (column) => column.primaryKey())
      .addUniqueConstraint("management_users_name", ["org_id", "name"])
      .addUniqueConstraint("management_users_key", ["key_hash"])
      .execute();
    await table(connection, "management_audit", ["org_id", "at", "actor", "action", "object"])
      .addColumn("number", "integer", (column) => column.primaryKey())
      .addColumn("detail", "text")
      .addColumn("before_digest", "text")
      .addColumn("after_digest", "text")
      .execute();
    await table(connection, "management_revisions", ["changed_at"])
      .addColumn("topic", "text", (column) => column.primaryKey())
      .addColumn("revision", "integer", (column) => column.notNull())
      .execute();
  },
};

async function createApis(connection: Transaction<unknown>): Promise<void> {
  const texts = ["org_id", "store_id", "name", "listen_path", "format", "digest"];
  await table(connection, "management_apis", [...texts, "created_at", "updated_at", "stopped", "restarts"])
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("active", "integer", (column) => column.notNull())
    .addColumn("version", "integer", (column) => column.notNull())
    .execute();
  const own = ["api_id", "org_id", "format", "definition", "digest", "created_at", "created_by"];
  const columns = [...own, "store_id", "name", "listen_path"];
  await table(connection, "management_versions", columns)
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("active", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("management_versions_key", ["api_id", "version"])
    .execute();
}

async function createDeployments(connection: Transaction<unknown>): Promise<void> {
  await table(connection, "management_artifacts", ["artifact", "module", "used_at"])
    .addColumn("source", "text", (column) => column.primaryKey())
    .execute();
  await table(connection, "management_blobs", ["code"])
    .addColumn("digest", "text", (column) => column.primaryKey())
    .execute();
  const texts = ["basis", "manifest", "digest", "definitions", "failures", "created_at"];
  await table(connection, "management_deployments", texts)
    .addColumn("number", "integer", (column) => column.primaryKey())
    .addColumn("revision", "integer", (column) => column.notNull())
    .addColumn("signature", "text")
    .addColumn("waited", "integer", (column) => column.notNull())
    .addColumn("compiled", "integer", (column) => column.notNull())
    .addColumn("compiled_apis", "integer", (column) => column.notNull())
    .execute();
  await table(connection, "management_deployment_blobs", ["digest"])
    .addColumn("number", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("management_deployment_blobs_key", ["number", "digest"])
    .execute();
  await table(connection, "management_gateways", ["report", "seen_at"])
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("deployment", "integer", (column) => column.notNull())
    .execute();
  await table(connection, "management_outcomes", ["gateway", "outcomes", "reported_at"])
    .addColumn("number", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("management_outcomes_key", ["number", "gateway"])
    .execute();
}

/** Creates a table with non-null text columns. */
function table(
  connection: Transaction<unknown>,
  name: string,
  texts: readonly string[],
): CreateTableBuilder<string, string> {
  return texts.reduce(
    (builder, column) => builder.addColumn(column, "text", (definition) => definition.notNull()),
    connection.schema.createTable(name) as CreateTableBuilder<string, string>,
  );
}
