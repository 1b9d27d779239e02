// Streams: their state at each gateway, and commands of operators.

import { refusal } from "../../runtime/rest/answers.ts";
import type { RestCaller } from "../../runtime/rest/operation.ts";
import type { StreamState, StreamStatus } from "../../runtime/stream/stream-state.ts";
import { may } from "../access/rights.ts";
import type { SetMember } from "../definitions/apis.ts";
import { type Changes, memberOf } from "../definitions/changes.ts";
import { listGateways } from "../deployments/gateways.ts";
import { apisOf, newestDeployment } from "../deployments/stored.ts";
import type { ManagementStore } from "../store/tables.ts";

/** The state of a stream at one gateway. */
export interface StreamAtGateway extends Omit<StreamState, "api" | "stream"> {
  readonly gateway: string;
}

/** A stream as clients receive it. */
export interface KnownStream {
  readonly api_id: string;
  readonly stream: string;
  /** The worst of the states that gateways report; `unknown` if no gateway has reported one recently. */
  readonly state: StreamStatus | "unknown";
  /** The reason of a failure. */
  readonly reason?: string;
  /** The state that the operator wants. */
  readonly wanted: "running" | "stopped";
  /** The counters of all gateways together. */
  readonly messages: Readonly<Record<string, number>>;
  readonly last_error?: { readonly reason: string; readonly at: string };
  readonly gateways: readonly StreamAtGateway[];
}

/** The statuses from the worst to the best. */
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

/** Returns the deployed streams of the APIs that the caller may read. */
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
  const reported = gateways.flatMap(({ id, report }) =>
    report.streams.filter(isStreamState).map((state) => ({ ...state, gateway: id })),
  );
  const readable = rows.filter((api) => may(caller, "read", api));
  return readable.flatMap(({ id, stopped }) => {
    const names = Object.keys(deployed.get(id)?.streams ?? {});
    const unwanted: readonly string[] = JSON.parse(stopped);
    return names.map((name) => {
      const own = reported.filter(({ api, stream }) => api === id && stream === name);
      return describe(id, name, unwanted.includes(name), own);
    });
  });
}

/** Whether a value is the state of a stream. Gateways may have another version than this service. */
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
  reported: readonly (StreamState & { readonly gateway: string })[],
): KnownStream {
  const worst = statuses.find((status) => reported.some((each) => each.status === status));
  const reason = reported.find((each) => each.status === worst)?.reason;
  const messages: Record<string, number> = {};
  for (const each of reported) {
    for (const [name, count] of Object.entries(each.messages))
      if (typeof count === "number") messages[name] = (messages[name] ?? 0) + count;
  }
  const last = reported
    .flatMap(({ lastError }) => lastError ?? [])
    .toSorted((a, b) => (a.at < b.at ? 1 : -1))[0];
  return {
    api_id: api,
    stream,
    // Gateways report no state for streams that an operator has stopped.
    state: worst ?? (isUnwanted ? "stopped" : "unknown"),
    ...(reason !== undefined && { reason }),
    wanted: isUnwanted ? "stopped" : "running",
    messages,
    ...(last !== undefined && { last_error: last }),
    gateways: reported.map(({ api: _, stream: __, ...rest }) => rest),
  };
}

/** The commands for a stream. */
export type StreamCommand = "start" | "stop" | "restart";

/** The message for a stream that does not exist, or that the caller may not access. */
export const missingStream = "Could not retrieve stream.";

/** Rejects with 404 if the newest deployment has no such stream. */
export async function requireStream(store: ManagementStore, api: string, stream: string): Promise<void> {
  const deployed = apisOf(await newestDeployment(store)).get(api);
  if (!Object.hasOwn(deployed?.streams ?? {}, stream)) throw refusal(404, missingStream);
}

/** Stores a command for a stream, for all gateways. Rejects with 404 if the stream does not exist. */
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
    // A restart does not start a stopped stream.
    stopped: JSON.stringify(
      command === "restart" ? names : command === "stop" ? [...others, stream] : others,
    ),
    restarts: JSON.stringify(Object.fromEntries(counts)),
  };
}
