// Streams as things of their own: what they do at each gateway, and what operators want of them.

import { refusal } from "../../runtime/rest/answers.ts";
import type { RestCaller } from "../../runtime/rest/operation.ts";
import type { StreamState, StreamStatus } from "../../runtime/stream/stream-state.ts";
import { may } from "../access/rights.ts";
import type { SetMember } from "../definitions/apis.ts";
import { type Changes, memberOf } from "../definitions/changes.ts";
import { listGateways } from "../deployments/gateways.ts";
import { apisOf, newestDeployment } from "../deployments/stored.ts";
import type { ManagementStore } from "../store/tables.ts";

/** A stream at one gateway. */
export interface StreamAtGateway extends Omit<StreamState, "api" | "stream"> {
  readonly gateway: string;
}

/** A stream as clients get it. */
export interface KnownStream {
  readonly api_id: string;
  readonly stream: string;
  /** The worst of what gateways say; `unknown` where none does, or none that has been heard of lately. */
  readonly state: StreamStatus | "unknown";
  /** Why it failed. */
  readonly reason?: string;
  /** What an operator wants. */
  readonly wanted: "running" | "stopped";
  /** Of all gateways together. */
  readonly messages: Readonly<Record<string, number>>;
  readonly last_error?: { readonly reason: string; readonly at: string };
  readonly gateways: readonly StreamAtGateway[];
}

/** From the worst to the best. */
const statuses: readonly StreamStatus[] = [
  "failed",
  "blocked",
  "starting",
  "draining",
  "stopped",
  "waiting",
  "running",
  "finished",
];

/** The streams of the APIs that the caller may read, as they are deployed. */
export async function listStreams(
  store: ManagementStore,
  caller: RestCaller,
): Promise<readonly KnownStream[]> {
  const deployed = apisOf(await newestDeployment(store));
  const gateways = (await listGateways(store)).filter(({ isLost }) => !isLost);
  const rows = await store.read((connection) =>
    connection
      .selectFrom("management_apis")
      .select(["id", "name", "stopped"])
      .where("org_id", "=", caller.organisation)
      .orderBy("id")
      .execute(),
  );
  const told = gateways.flatMap(({ id, report }) =>
    report.streams.filter(isStreamState).map((state) => ({ ...state, gateway: id })),
  );
  const readable = rows.filter((api) => may(caller, "read", api));
  return readable.flatMap(({ id, stopped }) => {
    const names = Object.keys(deployed.get(id)?.streams ?? {});
    const unwanted: readonly string[] = JSON.parse(stopped);
    return names.map((name) => {
      const own = told.filter(({ api, stream }) => api === id && stream === name);
      return describe(id, name, unwanted.includes(name), own);
    });
  });
}

/** What a gateway says of a stream; it may be of another version than this service. */
function isStreamState(value: unknown): value is StreamState {
  const state: Partial<Record<keyof StreamState, unknown>> =
    typeof value === "object" && value !== null ? value : {};
  return (
    typeof state.api === "string" &&
    typeof state.stream === "string" &&
    typeof state.messages === "object" &&
    statuses.some((status) => status === state.status)
  );
}

function describe(
  api: string,
  stream: string,
  isUnwanted: boolean,
  told: readonly (StreamState & { readonly gateway: string })[],
): KnownStream {
  const worst = statuses.find((status) => told.some((each) => each.status === status));
  const reason = told.find((each) => each.status === worst)?.reason;
  const messages: Record<string, number> = {};
  for (const each of told) {
    for (const [name, count] of Object.entries(each.messages))
      if (typeof count === "number") messages[name] = (messages[name] ?? 0) + count;
  }
  const last = told.flatMap(({ lastError }) => lastError ?? []).toSorted((a, b) => (a.at < b.at ? 1 : -1))[0];
  return {
    api_id: api,
    stream,
    // A gateway has no state for what it was told to stop.
    state: worst ?? (isUnwanted ? "stopped" : "unknown"),
    ...(reason !== undefined && { reason }),
    wanted: isUnwanted ? "stopped" : "running",
    messages,
    ...(last !== undefined && { last_error: last }),
    gateways: told.map(({ api: _, stream: __, ...rest }) => rest),
  };
}

/** What an operator can ask of a stream. */
export type StreamCommand = "start" | "stop" | "restart";

/** What is answered where there is no such stream, or none for the caller. */
export const missingStream = "Could not retrieve stream.";

/** Rejects with 404 where the newest deployment has no such stream. */
export async function requireStream(store: ManagementStore, api: string, stream: string): Promise<void> {
  const deployed = apisOf(await newestDeployment(store)).get(api);
  if (!Object.hasOwn(deployed?.streams ?? {}, stream)) throw refusal(404, missingStream);
}

/** Notes what an operator wants of a stream, for all gateways. Rejects with 404. */
export async function commandStream(
  { store, changes }: { readonly store: ManagementStore; readonly changes: Changes },
  caller: RestCaller,
  { api, stream }: { readonly api: string; readonly stream: string },
  command: StreamCommand,
): Promise<void> {
  await changes.change({ caller, action: `${command}Stream` }, async (set) => {
    const member = memberOf(set, api, { caller }, missingStream);
    await requireStream(store, api, stream);
    return {
      result: undefined,
      step: {
        object: api,
        detail: stream,
        async write(connection) {
          await connection
            .updateTable("management_apis")
            .set(columnsAfter(member, stream, command))
            .where("id", "=", api)
            .execute();
        },
      },
    };
  });
}

function columnsAfter({ stopped, restarts }: SetMember, stream: string, command: StreamCommand) {
  const names: readonly string[] = JSON.parse(stopped);
  const others = names.filter((name) => name !== stream);
  const counts = new Map<string, number>(Object.entries(JSON.parse(restarts)));
  if (command === "restart") counts.set(stream, (counts.get(stream) ?? 0) + 1);
  return {
    // One that is stopped stays so when it is restarted.
    stopped: JSON.stringify(
      command === "restart" ? names : command === "stop" ? [...others, stream] : others,
    ),
    restarts: JSON.stringify(Object.fromEntries(counts)),
  };
}
