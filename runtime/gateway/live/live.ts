// Changes the APIs of a gateway while it runs, each from one version to the next.

import { abort } from "../../concurrency/abort.ts";
import { GatewayError } from "../../errors.ts";
import { startReason } from "../../failures/description.ts";
import type { HostOwner } from "../../http/router.ts";
import type { StreamManager, StreamSlot } from "../../stream/stream-manager.ts";
import { type PreparedApi, type PreparedStream, prepareApi } from "../prepared-api.ts";
import type { RunningApi } from "../running-api.ts";
import type { GatewayParts } from "../running-apis.ts";
import type { RunningGateway } from "../serve.ts";
import { type Change, commitAll } from "./change.ts";
import type { ApiOutcome, DeployedApi } from "./deployed-api.ts";
import {
  InstancesChange,
  KindChange,
  StoppedStreamChange,
  StreamAddition,
  StreamRemoval,
} from "./slot-changes.ts";
import { compare, StreamChange } from "./stream-change.ts";
import type { Bounds } from "./within.ts";

export interface LiveOptions {
  /** The APIs that the gateway serves already; a first deployment changes everything that is not listed here. */
  readonly deployed?: readonly DeployedApi[];
  /** Milliseconds within which a changed part of a stream must start; 30 s by default. */
  readonly startTimeout?: number;
}

/** The operations on a running gateway. They run one after the other. */
export interface LiveGateway {
  /**
   * Makes the gateway serve exactly these APIs. Each API changes as a whole, or continues as it was; its outcome then
   * says why. Resolves with the outcomes in the order of `apis`, then those of the removed APIs. Never rejects because
   * of a problem of an API. `hostOwner` applies immediately, before any API changes.
   */
  apply(apis: readonly DeployedApi[], hostOwner?: HostOwner): Promise<readonly ApiOutcome[]>;
  /** Stops a stream until it is started, or until a deployment changes whether it is stopped. */
  stopStream(api: string, stream: string): Promise<void>;
  /** Starts a stream that was stopped. */
  startStream(api: string, stream: string): Promise<void>;
  /** Stops a stream and starts it again. */
  restartStream(api: string, stream: string): Promise<void>;
}

/** Makes the APIs of a gateway changeable. To be called once for a gateway; closes with it. */
export function makeLive({ parts }: RunningGateway, options: LiveOptions = {}): LiveGateway {
  const { log, settings, streams, apis: running, onClose } = parts;
  const closing = new AbortController();
  const bounds: Bounds = {
    startTimeout: options.startTimeout ?? 30_000,
    stopTimeout: settings.shutdownTimeout,
    closing: closing.signal,
  };
  const deployed = new Map((options.deployed ?? []).map((api) => [api.definition.id, api]));
  let last: Promise<unknown> = Promise.resolve();

  /** Runs one piece of work at a time, in the order of the calls. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  /** Changes APIs together, or none of them. Rejects only if one claims what another API serves. */
  async function change(
    group: readonly DeployedApi[],
    leaving: ReadonlySet<string>,
  ): Promise<readonly ApiOutcome[]> {
    const differing = group.filter(
      ({ definition, digest }) => deployed.get(definition.id)?.digest !== digest,
    );
    const versions = differing.map((next) => ({ before: deployed.get(next.definition.id), next }));
    try {
      if (closing.signal.aborted) throw new GatewayError(503, "The gateway is closing");
      if (versions.length > 0) await changeApis(parts, versions, leaving, bounds);
    } catch (error) {
      if (error instanceof RouteClash) throw error;
      return group.map(({ definition }) => rolledBack(definition.id, error));
    }
    const outcomes: ApiOutcome[] = [];
    for (const next of group) {
      const { id } = next.definition;
      const isOperated = await operate(streams, deployed.get(id), next);
      deployed.set(id, next);
      const isChanged = isOperated || differing.includes(next);
      if (isChanged) log.info("an API was changed", { api: id });
      outcomes.push({ api: id, outcome: isChanged ? "applied" : "unchanged" });
    }
    return outcomes;
  }

  function rolledBack(api: string, error: unknown): ApiOutcome {
    const reason = startReason(error);
    log.error("API not changed, the previous version stays", { api, reason, error });
    return { api, outcome: "rolled back", reason };
  }

  /**
   * Changes each API on its own. One that claims what another still serves is tried again after the others, because the
   * deployment may change the other one too; those that take the places of each other change together.
   */
  async function changeAll(
    apis: readonly DeployedApi[],
    leaving: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, ApiOutcome>> {
    const outcomes = new Map<string, ApiOutcome>();
    /** Returns the error of a clash. */
    async function attempt(group: readonly DeployedApi[]): Promise<RouteClash | undefined> {
      try {
        for (const each of await change(group, leaving)) outcomes.set(each.api, each);
        return undefined;
      } catch (error) {
        if (error instanceof RouteClash) return error;
        throw error;
      }
    }
    let clashes: ReadonlyMap<DeployedApi, RouteClash | undefined> = new Map(
      apis.map((api) => [api, undefined]),
    );
    for (let attempted = Number.POSITIVE_INFINITY; clashes.size > 0 && clashes.size < attempted; ) {
      attempted = clashes.size;
      const left = new Map<DeployedApi, RouteClash>();
      for (const api of clashes.keys()) {
        const clash = await attempt([api]);
        if (clash !== undefined) left.set(api, clash);
      }
      clashes = left;
    }
    if (clashes.size > 1 && (await attempt([...clashes.keys()])) === undefined) return outcomes;
    for (const [{ definition }, clash] of clashes)
      outcomes.set(definition.id, rolledBack(definition.id, clash));
    return outcomes;
  }

  async function apply(
    apis: readonly DeployedApi[],
    hostOwner: HostOwner | undefined,
  ): Promise<readonly ApiOutcome[]> {
    running.assignHosts(hostOwner);
    const staying = new Set(apis.map(({ definition }) => definition.id));
    const gone = running.all.map(({ prepared }) => prepared.definition.id).filter((id) => !staying.has(id));
    const changed = await changeAll(apis, new Set(gone));
    const outcomes = apis.flatMap(({ definition }) => changed.get(definition.id) ?? []);
    for (const api of gone) {
      removeApi(parts, api);
      deployed.delete(api);
      log.info("an API was removed", { api });
      outcomes.push({ api, outcome: "removed" });
    }
    return outcomes;
  }

  onClose(async () => {
    abort(closing);
    await last;
  });
  return {
    apply: (apis, hostOwner) => inTurn(() => apply(apis, hostOwner)),
    stopStream: (api, stream) => inTurn(() => streams.stop(api, stream)),
    startStream: (api, stream) => inTurn(async () => streams.start(api, stream)),
    restartStream: (api, stream) => inTurn(() => streams.restart(api, stream)),
  };
}

/**
 * Stops, starts and restarts the streams whose state in `next` differs from that in `before`; returns whether it did
 * anything. Whatever an operator did at the gateway itself stays until a deployment changes the state of that stream.
 */
async function operate(
  streams: StreamManager,
  before: DeployedApi | undefined,
  next: DeployedApi,
): Promise<boolean> {
  const { id } = next.definition;
  const names = Object.keys(next.definition.streams);
  const work = names.map((name) => {
    const [was, is] = [before?.stopped.has(name) === true, next.stopped.has(name)];
    if (is && !was) return streams.stop(id, name);
    if (was && !is) return Promise.resolve(streams.start(id, name));
    const isNew = before !== undefined && !Object.hasOwn(before.definition.streams, name);
    if (is || before === undefined || isNew) return undefined;
    const count = (api: DeployedApi) => api.restarts.get(name) ?? 0;
    return count(next) > count(before) ? streams.restart(id, name) : undefined;
  });
  const begun = work.filter((each) => each !== undefined);
  await Promise.all(begun);
  return begun.length > 0;
}

/** The version of an API to change from, and the version to change to. */
interface ApiVersions {
  /** The last deployed API with this id; `undefined` if there is none or it is unknown. */
  readonly before: DeployedApi | undefined;
  readonly next: DeployedApi;
}

/** The next version of an API, which receives no request yet, and the one that serves it. */
interface BegunApi {
  readonly former: RunningApi | undefined;
  readonly running: RunningApi;
}

/**
 * Makes the gateway serve the next versions of APIs. If it rejects, the versions before continue unchanged. `leaving`:
 * ids of APIs that the same deployment removes: their paths may be reused.
 */
async function changeApis(
  parts: GatewayParts,
  versions: readonly ApiVersions[],
  leaving: ReadonlySet<string>,
  bounds: Bounds,
): Promise<void> {
  const { environment, settings, apis } = parts;
  const begun: (ApiVersions & BegunApi)[] = [];
  try {
    for (const each of versions) {
      const { definition } = each.next;
      const prepared = environment.collect(() => prepareApi(definition, environment, settings.streaming));
      const former = apis.all.find((api) => api.prepared.definition.id === definition.id);
      begun.push({ ...each, former, running: await apis.start(prepared) });
    }
    // A clash is found before the change of any stream begins.
    const route = routing(parts, begun, leaving);
    const changes = begun.flatMap(({ former, running, ...each }) =>
      changesOf(parts, parts.own(running.prepared), former, each, bounds),
    );
    await commitAll(changes, route);
  } catch (error) {
    for (const { running } of begun) await running.close();
    throw error;
  }
  for (const { former } of begun) if (former !== undefined) retire(parts, former);
}

/** Removes an API: requests in progress end, and its streams finish what is in flight. */
function removeApi(parts: GatewayParts, id: string): void {
  const { apis, streams } = parts;
  const former = apis.all.find((api) => api.prepared.definition.id === id);
  if (former === undefined) return;
  apis.replacement(apis.all.filter((api) => api !== former))();
  former.stop("the API is not served any more");
  for (const { name } of former.prepared.streams) void streams.remove(id, name);
  retire(parts, former);
}

function retire({ apis, settle }: GatewayParts, former: RunningApi): void {
  apis.retire(
    former,
    settle((call) => call.api?.api === former.served),
  );
}

/** Returns a function that routes requests to APIs in place of their former versions; throws a `RouteClash`. */
function routing(
  { apis }: GatewayParts,
  begun: readonly BegunApi[],
  leaving: ReadonlySet<string>,
): () => void {
  const successors = new Map(begun.map(({ former, running }) => [former, running]));
  const added = begun.filter(({ former }) => former === undefined).map(({ running }) => running);
  const next = [...apis.all.map((api) => successors.get(api) ?? api), ...added];
  const staying = next.filter(({ prepared }) => !leaving.has(prepared.definition.id));
  try {
    return apis.replacement(next);
  } catch (error) {
    if (staying.length === next.length) throw new RouteClash(error);
  }
  try {
    return apis.replacement(staying);
  } catch (error) {
    throw new RouteClash(error);
  }
}

/** An API claims a place that another one serves, as the route table found. */
class RouteClash extends GatewayError {
  constructor(cause: unknown) {
    super(409, cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Returns the changes of an API's streams. `own`: the streams of the next version that run in this process. */
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
      // A new API has nothing to roll back to: its streams retry until they start, as in a gateway that starts.
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
