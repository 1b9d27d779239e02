// The gateways and their latest reports.

import type { GatewayReport } from "../../runtime/gateway/artifact/source.ts";
import type { ManagementStore } from "../store/tables.ts";

/** Milliseconds without a report after which a gateway counts as lost. Gateways report at least every ten seconds. */
const longestSilence = 30_000;
/** Milliseconds without a report after which a gateway is deleted. */
const longestAbsence = 86_400_000;

/** A gateway and its latest report. */
export interface KnownGateway {
  readonly id: string;
  readonly seenAt: string;
  /** Whether the gateway has not reported for a long time. */
  readonly isLost: boolean;
  readonly report: GatewayReport;
}

/** Stores the report of a gateway, and the outcome of a deployment there when it is reported first. */
export async function takeReport(store: ManagementStore, id: string, report: GatewayReport): Promise<void> {
  const now = new Date();
  const at = now.toISOString();
  const deployment = report.deployment ?? 0;
  const row = { deployment, report: JSON.stringify(report), seen_at: at };
  await store.transact(async (connection) => {
    await connection
      .insertInto("management_gateways")
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
      .execute();
    const forgotten = new Date(now.getTime() - longestAbsence).toISOString();
    await connection.deleteFrom("management_gateways").where("seen_at", "<", forgotten).execute();
    const known = await connection
      .selectFrom("management_deployments")
      .select("number")
      .where("number", "=", deployment)
      .executeTakeFirst();
    if (known === undefined) return;
    // The first report of a deployment determines when it took effect.
    await connection
      .insertInto("management_outcomes")
      .values({ number: deployment, gateway: id, outcomes: JSON.stringify(report.outcomes), reported_at: at })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/** Returns all gateways that have reported, ordered by id. */
export async function listGateways(store: ManagementStore): Promise<readonly KnownGateway[]> {
  const rows = await store.read((connection) =>
    connection.selectFrom("management_gateways").selectAll().orderBy("id").execute(),
  );
  return rows.map(({ id, report, seen_at: seenAt }) => ({
    id,
    seenAt,
    isLost: Date.now() - Date.parse(seenAt) > longestSilence,
    report: JSON.parse(report),
  }));
}
