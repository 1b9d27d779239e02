import type { Migration } from "./migration.ts";

/** The column that distinguishes teams from developers, and the tables of members and invitations. */
export const portalTeamTables: Migration = {
  name: "0007-portal-teams",
  async up({ schema }) {
    await schema
      .alterTable("portal_developers")
      .addColumn("is_team", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
    await schema
      .createTable("portal_team_members")
      .addColumn("team_id", "text", (column) => column.notNull())
      .addColumn("developer_id", "text", (column) => column.notNull())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("role", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("portal_team_members_key", ["team_id", "developer_id"])
      .execute();
    await schema
      .createIndex("portal_team_members_developer")
      .on("portal_team_members")
      .columns(["org_id", "developer_id"])
      .execute();
    await schema
      .createTable("portal_team_invitations")
      .addColumn("team_id", "text", (column) => column.notNull())
      .addColumn("email", "text", (column) => column.notNull())
      .addColumn("org_id", "text", (column) => column.notNull())
      .addColumn("role", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("portal_team_invitations_key", ["team_id", "email"])
      .execute();
    await schema
      .createIndex("portal_team_invitations_email")
      .on("portal_team_invitations")
      .columns(["org_id", "email"])
      .execute();
  },
};
