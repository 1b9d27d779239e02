import { portalTables } from "./0001-portal-tables.ts";
import { webhookDeliveryTables } from "./0002-webhook-deliveries.ts";
import { portalSessionTable } from "./0003-portal-sessions.ts";
import type { Migration } from "./migration.ts";

/** In the order of their names; one that has been released stays as it is. */
export const migrations: readonly Migration[] = [portalTables, webhookDeliveryTables, portalSessionTable];
