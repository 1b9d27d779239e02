// The definition of an emitted gateway: data that a host can start.

import type { Resource, StreamParts } from "./component/component.ts";
import type { CorsPolicy } from "./component/endpoint.ts";
import type { LeaseSetting } from "./component/gateway-scope.ts";
import type { CounterSetting } from "./counters.ts";
import type { ApiIdentity } from "./http/call.ts";
import type { ListenerKind } from "./http/listener.ts";
import type { Limits } from "./http/listener-limits.ts";
import type { ReadOrigin } from "./http/request-origin.ts";
import type { Upstream } from "./http/upstream.ts";
import type { Versions } from "./http/versioning.ts";
import type { Keys } from "./keys/keys.ts";
import type { OauthServer } from "./oauth/oauth-server.ts";
import type { Portal } from "./portal/portal.ts";
import type { Environment, VariablePlaces } from "./process/environment.ts";
import type { Protection } from "./protection.ts";
import type { StoreSource } from "./store/gateway-store.ts";
import type { InstancedStream } from "./stream/instances/stream-instances.ts";
import type { GatewayObserver } from "./stream/observer.ts";

/** Creates the parts of one instance of a stream; opens nothing. */
export type StreamFactory = (env: Environment) => StreamParts;

/** Returns parts with shared resources: every instance of the stream's parts uses the same resources. */
export function sharing(resources: readonly Resource[], create: () => StreamParts): StreamParts {
  const again = (): StreamParts => ({ ...create(), resources, again });
  return again();
}

/** One API of a gateway. */
export interface ApiDefinition extends ApiIdentity {
  /** File and line where the document reads variables, by name. */
  readonly variables?: VariablePlaces;
  /** The only host name of the API, without a port; any by default. */
  readonly host?: Setting<string>;
  /** Whether requests reach the API only as a version of another API. */
  readonly internal?: boolean;
  /** The versions of the API, including itself; their ids are those of APIs of the gateway. */
  readonly versions?: Versions;
  /** Where requests go that match no stream route; without it they get 404. */
  readonly upstream?: (env: Environment) => Upstream | undefined;
  /** Which pages of other origins may call the API; without it none may. */
  readonly cors?: (env: Environment) => CorsPolicy | undefined;
  /** The protections that requests pass before the streams and the upstream. */
  readonly protections?: (env: Environment) => readonly Protection[];
  readonly streams: Readonly<Record<string, StreamFactory | InstancedStream>>;
}

/** Returns the API of an emitted module; it exists for type checking. */
export function defineApi(definition: ApiDefinition): ApiDefinition {
  return definition;
}

/** A setting: its value, or a function that reads it from the environment when the gateway starts. */
export type Setting<T> = T | ((env: Environment) => T);

/** A whole gateway. Environment variables override `listen`, `adminListen` and `streaming`. */
export interface GatewayDefinition {
  readonly streaming: { readonly enabled: boolean };
  /** File and line where the settings read variables, by name. */
  readonly variables?: VariablePlaces;
  /** `host:port`; port 0 picks a free one. */
  readonly listen?: Setting<string>;
  readonly adminListen?: Setting<string>;
  /** How to listen; without TLS by default. */
  readonly tls?: (env: Environment) => ListenerKind;
  /** Proxies whose forwarding headers are trusted; none by default. */
  readonly trustedProxies?: (env: Environment) => ReadOrigin;
  readonly limits?: Setting<Limits>;
  /** Creates the observer that counts and records; it opens nothing before the gateway listens. */
  readonly analytics?: (env: Environment) => GatewayObserver;
  /** Where requests are counted, for the protections of all APIs. */
  readonly counters?: CounterSetting;
  /** The leases that decide which replica runs an input that only one replica may run. */
  readonly leases?: (env: Environment) => LeaseSetting;
  /** The keys of callers, for the protections of all APIs. */
  readonly keys?: (env: Environment) => Keys;
  /** The server that issues the gateway's own tokens. */
  readonly oauth?: (env: Environment) => OauthServer;
  /** The store of records that change while the gateway runs. */
  readonly store?: (env: Environment) => StoreSource;
  /** The portal where developers request and get access; it needs a store. */
  readonly portal?: (env: Environment) => Portal;
  readonly apis: readonly ApiDefinition[];
}

/** Returns the gateway of an emitted `gateway.ts`; it exists for type checking. */
export function defineGateway(definition: GatewayDefinition): GatewayDefinition {
  return definition;
}
