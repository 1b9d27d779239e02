import type { Processor } from "../../../runtime/component/component.ts";
import type { StreamDigests } from "../../../runtime/gateway/artifact/manifest.ts";
import type { DeployedApi } from "../../../runtime/gateway/live/deployed-api.ts";
import { type LiveGateway, type LiveOptions, makeLive } from "../../../runtime/gateway/live/live.ts";
import type { ApiDefinition, StreamFactory } from "../../../runtime/gateway.ts";
import { each, textOf } from "../gateway/components.ts";
import { startGateway, type TestGateway, type TestGatewayOptions } from "../gateway/start-gateway.ts";

/** A stream with the digests of its parts, with which a deployment detects what has changed. */
export interface DeployedStream {
  readonly make: ApiDefinition["streams"][string];
  readonly digests?: Partial<StreamDigests>;
}

/** The parts of an API other than its streams. */
export interface DeployedParts extends Partial<Omit<ApiDefinition, "streams">> {
  readonly stopped?: readonly string[];
  readonly restarts?: Readonly<Record<string, number>>;
}

let modules = 0;

/** Returns the API `orders` at `/orders/`, as its own module defines it. */
export function deployed(
  streams: Readonly<Record<string, DeployedStream | StreamFactory>>,
  { stopped = [], restarts = {}, ...parts }: DeployedParts = {},
): DeployedApi {
  const all = Object.entries(streams).map(
    ([name, stream]) => [name, typeof stream === "function" ? { make: stream } : stream] as const,
  );
  modules += 1;
  return {
    definition: {
      id: "orders",
      listenPath: "/orders/",
      ...parts,
      streams: Object.fromEntries(all.map(([name, { make }]) => [name, make])),
    },
    digest: `module ${modules}`,
    streams: Object.fromEntries(all.map(([name, { digests = {} }]) => [name, { ...unchanged, ...digests }])),
    stopped: new Set(stopped),
    restarts: new Map(Object.entries(restarts)),
  };
}

const unchanged: StreamDigests = { input: "", pipeline: "", output: "", resources: "", shape: "" };

/** Starts a gateway that serves nothing before its first deployment. */
export async function liveGateway(
  first: readonly DeployedApi[] = [],
  { startTimeout, ...options }: TestGatewayOptions & LiveOptions = {},
): Promise<{ readonly gateway: TestGateway; readonly live: LiveGateway }> {
  const gateway = await startGateway([], options);
  const live = makeLive(gateway, startTimeout === undefined ? {} : { startTimeout });
  await live.apply(first);
  return { gateway, live };
}

/** Returns a step that appends the version to each message: `a` becomes `a-1`. */
export function mark(version: number | string): Processor {
  return each((message) => message.withBytes(Buffer.from(`${textOf(message)}-${version}`)));
}

/** Returns the state of a stream of the API `orders`. */
export function stateOf(gateway: TestGateway, stream = "s") {
  return gateway.streams.states().find((state) => state.stream === stream);
}
