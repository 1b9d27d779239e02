// One API from one version to the next.

import { GatewayError } from "../../errors.ts";
import type { StreamSlot } from "../../stream/stream-manager.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { type PreparedApi, type PreparedStream, prepareApi } from "../prepared-api.ts";
import type { RunningApi } from "../running-api.ts";
import { type Change, commitAll } from "./change.ts";
import type { DeployedApi } from "./deployed-api.ts";
import {
  InstancesChange,
  KindChange,
  StoppedStreamChange,
  StreamAddition,
  StreamRemoval,
} from "./slot-changes.ts";
import { compare, StreamChange } from "./stream-change.ts";
import type { Bounds } from "./within.ts";

/** What an API is changed from and to. */
export interface ApiVersions {
  /** What was deployed last under its id; `undefined` where nothing was, or nothing is known of it. */
  readonly before: DeployedApi | undefined;
  readonly next: DeployedApi;
  /** Ids of APIs that go with the same deployment: their paths may be taken. */
  readonly leaving: ReadonlySet<string>;
}

/** Has the next version of an API be served. Where it rejects, the one before is, as if nothing had been. */
export async function changeApi(parts: GatewayParts, versions: ApiVersions, bounds: Bounds): Promise<void> {
  const { environment, settings, apis } = parts;
  const { definition } = versions.next;
  const prepared = environment.collect(() => prepareApi(definition, environment, settings.streaming));
  const former = apis.all.find((api) => api.prepared.definition.id === definition.id);
  const running = await apis.start(prepared);
  try {
    const changes = changesOf(parts, parts.own(prepared), former, versions, bounds);
    await commitAll(changes, () => route(parts, running, former, versions.leaving));
  } catch (error) {
    await running.close();
    throw error;
  }
  if (former !== undefined) retire(parts, former);
}

/** Has an API not be served any more: requests under way end, its streams finish what is in flight. */
export function removeApi(parts: GatewayParts, id: string): void {
  const { apis, streams } = parts;
  const former = apis.all.find((api) => api.prepared.definition.id === id);
  if (former === undefined) return;
  apis.replace(apis.all.filter((api) => api !== former));
  former.stop();
  for (const { name } of former.prepared.streams) void streams.remove(id, name);
  retire(parts, former);
}

function retire({ apis, settle }: GatewayParts, former: RunningApi): void {
  apis.retire(
    former,
    settle((call) => call.api?.api === former.served),
  );
}

/** Leads requests to the API, in the place of `former`. */
function route(
  { apis }: GatewayParts,
  running: RunningApi,
  former: RunningApi | undefined,
  leaving: ReadonlySet<string>,
): void {
  const next =
    former === undefined ? [...apis.all, running] : apis.all.map((api) => (api === former ? running : api));
  const staying = next.filter(({ prepared }) => !leaving.has(prepared.definition.id));
  try {
    apis.replace(next);
  } catch (error) {
    if (staying.length === next.length) throw clash(error);
    apis.replace(staying);
  }
}

/** The table says what clashes. */
function clash(error: unknown): GatewayError {
  return new GatewayError(409, error instanceof Error ? error.message : String(error), { cause: error });
}

/** `own` are the streams of the next version that run here. */
function changesOf(
  parts: GatewayParts,
  own: PreparedApi,
  former: RunningApi | undefined,
  versions: ApiVersions,
  bounds: Bounds,
): readonly Change[] {
  const { id } = own.definition;
  const names = new Set(own.streams.map(({ name }) => name));
  const gone = former?.prepared.streams.filter(({ name }) => !names.has(name)) ?? [];
  const removals = gone.flatMap(({ name }) => parts.streams.slot(id, name) ?? []);
  return [
    ...own.streams.flatMap((stream) => {
      const slot = parts.streams.slot(id, stream.name);
      if (slot !== undefined) return changeOf(slot, stream, versions, bounds) ?? [];
      const isStopped = versions.next.stopped.has(stream.name);
      // A new API has nothing to go back to: its streams are tried until they start, as those of a gateway that starts.
      return new StreamAddition(
        parts.streams,
        stream,
        { isStopped, mustStart: former !== undefined },
        bounds,
      );
    }),
    ...removals.map((slot) => new StreamRemoval(parts.streams, slot)),
  ];
}

function changeOf(
  slot: StreamSlot,
  next: PreparedStream,
  { before, next: { streams } }: ApiVersions,
  bounds: Bounds,
): Change | undefined {
  const differences = compare(digestsOf(before?.streams, next.name), digestsOf(streams, next.name));
  if (!differences.input && !differences.pipeline) return undefined;
  if (slot.isStopped) return new StoppedStreamChange(slot, next.spec);
  if (slot.stream !== undefined && "create" in next.spec) {
    return new StreamChange(slot, slot.stream, next.spec, next.parts, differences, bounds);
  }
  return slot.stream === undefined && "definition" in next.spec
    ? new InstancesChange(slot, next.spec, bounds)
    : new KindChange(slot, next, bounds);
}

function digestsOf(streams: DeployedApi["streams"] | undefined, name: string) {
  return streams !== undefined && Object.hasOwn(streams, name) ? streams[name] : undefined;
}
