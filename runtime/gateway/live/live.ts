// A gateway whose APIs are changed while it runs.

import { GatewayError } from "../../errors.ts";
import { startReason } from "../../failures/description.ts";
import type { HostOwner } from "../../http/router.ts";
import type { StreamManager } from "../../stream/stream-manager.ts";
import type { RunningGateway } from "../serve.ts";
import { changeApi, removeApi } from "./api-change.ts";
import type { ApiOutcome, DeployedApi } from "./deployed-api.ts";
import type { Bounds } from "./within.ts";

export interface LiveOptions {
  /** What the gateway serves already; of what is not told here, a first deployment changes everything. */
  readonly deployed?: readonly DeployedApi[];
  /** Milliseconds that a changed part of a stream has to start in; 30 s by default. */
  readonly startTimeout?: number;
}

/** What can be done to a gateway while it runs. Whatever is asked for is done one after the other. */
export interface LiveGateway {
  /**
   * Has exactly these APIs be served. Each is changed as a whole, or goes on as it was: then its outcome says why. Gives
   * the outcomes in the order of `apis`, then those of the removed ones. Never rejects because of what is wrong with an API.
   * `hostOwner` holds from now on, before any API is changed.
   */
  apply(apis: readonly DeployedApi[], hostOwner?: HostOwner): Promise<readonly ApiOutcome[]>;
  /** Stops a stream until it is started, or a deployment says otherwise of it than the one before. */
  stopStream(api: string, stream: string): Promise<void>;
  /** Starts a stream that was stopped. */
  startStream(api: string, stream: string): Promise<void>;
  /** Stops a stream and starts it anew. */
  restartStream(api: string, stream: string): Promise<void>;
}

/** Makes the APIs of a gateway changeable. To be called once for a gateway; ends with it. */
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

  /** One at a time, in the order of the calls. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  async function change(next: DeployedApi, leaving: ReadonlySet<string>): Promise<ApiOutcome> {
    const { id } = next.definition;
    const before = deployed.get(id);
    const isSame = before?.digest === next.digest;
    try {
      if (closing.signal.aborted) throw new GatewayError(503, "The gateway is closing");
      if (!isSame) await changeApi(parts, { before, next, leaving }, bounds);
    } catch (error) {
      const reason = startReason(error);
      log.error("API not changed, the previous version stays", { api: id, reason, error });
      return { api: id, outcome: "rolled back", reason };
    }
    const isOperated = await operate(streams, before, next);
    deployed.set(id, next);
    if (isSame && !isOperated) return { api: id, outcome: "unchanged" };
    log.info("an API was changed", { api: id });
    return { api: id, outcome: "applied" };
  }

  async function apply(
    apis: readonly DeployedApi[],
    hostOwner: HostOwner | undefined,
  ): Promise<readonly ApiOutcome[]> {
    running.assignHosts(hostOwner);
    const staying = new Set(apis.map(({ definition }) => definition.id));
    const gone = running.all.map(({ prepared }) => prepared.definition.id).filter((id) => !staying.has(id));
    const outcomes: ApiOutcome[] = [];
    for (const api of apis) outcomes.push(await change(api, new Set(gone)));
    for (const api of gone) {
      removeApi(parts, api);
      deployed.delete(api);
      log.info("an API was removed", { api });
      outcomes.push({ api, outcome: "removed" });
    }
    return outcomes;
  }

  onClose(async () => {
    closing.abort();
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
 * Stops, starts and restarts the streams of which `next` says otherwise than `before`; whether it did anything. What an
 * operator did at the gateway itself stays, unless a deployment now says something new of that stream.
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
