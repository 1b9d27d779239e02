// An API after its environment was read: the parts of its streams exist, its routes are known, and nothing is open yet.

import type { StreamParts } from "../component/component.ts";
import type { CorsPolicy, Endpoint, EndpointRole } from "../component/endpoint.ts";
import type { ApiDefinition } from "../gateway.ts";
import type { ApiIdentity } from "../http/call.ts";
import type { StreamRoute } from "../http/router.ts";
import type { Upstream } from "../http/upstream.ts";
import type { AcceptedCredential } from "../keys/accepted-credentials.ts";
import type { CheckedEnvironment } from "../process/environment.ts";
import type { Protection } from "../protection.ts";
import { noRequest } from "../stream/instances/request-values.ts";
import type { InstancedStream } from "../stream/instances/stream-instances.ts";
import type { InstancedSpec } from "../stream/stream-manager.ts";
import type { StreamSpec } from "../stream/stream-options.ts";

export interface PreparedApi {
  readonly definition: ApiDefinition;
  /** Which pages of other origins may call the API. */
  readonly cors: CorsPolicy | undefined;
  /** The only host name of the API, in lower case and without a dot at the end. */
  readonly host: string | undefined;
  readonly protections: readonly Protection[];
  /** Where requests go that match no stream route. */
  readonly upstream: Upstream | undefined;
  readonly streams: readonly PreparedStream[];
}

/** A stream that is ready to run. */
export interface PreparedStream {
  readonly name: string;
  /** Whether the stream may run in every worker. */
  readonly isSpread: boolean;
  /** The parts with the routes; a stream that all requests share starts with them. */
  readonly parts: StreamParts;
  /** The spec for the stream manager: a shared stream, or one that runs as instances on demand. */
  readonly spec: StreamSpec | InstancedSpec;
}

/** Prepares `api` with what it needs from the environment; without streams if `streaming` is false. */
export function prepareApi(
  api: ApiDefinition,
  environment: CheckedEnvironment,
  streaming: boolean,
): PreparedApi {
  const streams = streaming ? Object.entries(api.streams) : [];
  environment.locate(api.variables);
  return {
    definition: api,
    cors: api.cors?.(environment),
    host: readHost(api, environment),
    protections: api.protections?.(environment) ?? [],
    upstream: api.upstream?.(environment),
    streams: streams.map(([name, definition]) => ({
      name,
      isSpread: api.spread?.includes(name) === true,
      ...(typeof definition === "function"
        ? prepareShared(api, name, definition, environment)
        : prepareInstanced(api, name, definition, environment)),
    })),
  };
}

function readHost({ host }: ApiDefinition, environment: CheckedEnvironment): string | undefined {
  const name = typeof host === "function" ? host(environment) : host;
  return name?.toLowerCase().replace(/\.$/, "");
}

function prepareShared(
  { id: api, organisation }: ApiIdentity,
  stream: string,
  factory: (environment: CheckedEnvironment) => StreamParts,
  environment: CheckedEnvironment,
): Pick<PreparedStream, "parts" | "spec"> {
  const parts = factory(environment);
  const create = (again = () => factory(environment)) => environment.collect(again);
  return { parts, spec: { api, stream, organisation, create } };
}

function prepareInstanced(
  { id: api, organisation }: ApiIdentity,
  stream: string,
  definition: InstancedStream,
  environment: CheckedEnvironment,
): Pick<PreparedStream, "parts" | "spec"> {
  const parts = definition.create(environment, noRequest);
  return { parts, spec: { api, stream, organisation, definition, environment } };
}

/** Returns the routes of the API's streams. */
export function routesOf({ streams }: PreparedApi): readonly StreamRoute[] {
  return streams.flatMap(({ name, parts }) => [
    ...routesOfPart(name, "input", parts.input.endpoints),
    ...routesOfPart(name, "output", parts.output.endpoints),
    ...routesOfPart(name, "dead_letter", parts.errorHandling?.output?.endpoints),
  ]);
}

function routesOfPart(
  stream: string,
  role: EndpointRole,
  endpoints: readonly Endpoint[] | undefined,
): readonly StreamRoute[] {
  return (endpoints ?? []).map((endpoint, index) => ({ stream, role, index, endpoint, server: undefined }));
}

/** The APIs of a gateway, by id. */
interface ServedApis {
  find(id: string): PreparedApi | undefined;
}

/**
 * Returns the credentials that an API and its versions accept: a key may be for one of the versions. `undefined` if the
 * API is not served here, or if the API or one of its versions needs no credential.
 */
export function findAccepted(apis: ServedApis, id: string): readonly AcceptedCredential[] | undefined {
  const named = apis.find(id);
  if (named === undefined) return undefined;
  const ids = named.definition.versions?.all.map((version) => version.id) ?? [];
  const accepted = [...new Set([id, ...ids])].map((each) => {
    const callers = apis.find(each)?.protections.flatMap((protection) => protection.callers ?? []) ?? [];
    return callers.length === 0 ? undefined : callers.flatMap((of) => of.accepted);
  });
  if (accepted.some((each) => each === undefined)) return undefined;
  return accepted.flatMap((each) => each ?? []);
}
