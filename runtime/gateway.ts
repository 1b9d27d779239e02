// What an emitted gateway is: data that a host can start.

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

/** Makes the parts of one instance of a stream; opens nothing. */
export type StreamFactory = (env: Environment) => StreamParts;

/** Parts around resources, which stay the same however often the parts of one stream are made. */
export function sharing(resources: readonly Resource[], create: () => StreamParts): StreamParts {
  const again = (): StreamParts => ({ ...create(), resources, again });
  return again();
}

/** One API of a gateway. */
export interface ApiDefinition extends ApiIdentity {
  /** File and line where its document reads variables, by their names. */
  readonly variables?: VariablePlaces;
  /** The only host name it answers under, without a port; any by default. */
  readonly host?: Setting<string>;
  /** Whether requests only get to it as a version of another API. */
  readonly internal?: boolean;
  /** Its versions, itself among them; their ids are those of APIs of the gateway. */
  readonly versions?: Versions;
  /** Where requests go that no stream route takes; without one they get 404. */
  readonly upstream?: (env: Environment) => Upstream | undefined;
  /** Which pages of other origins may call it; without one none may. */
  readonly cors?: (env: Environment) => CorsPolicy | undefined;
  /** What requests pass before its streams and its upstream see them. */
  readonly protections?: (env: Environment) => readonly Protection[];
  readonly streams: Readonly<Record<string, StreamFactory | InstancedStream>>;
}

/** An API, as written in an emitted module of its own. Exists to fix the type. */
export function defineApi(definition: ApiDefinition): ApiDefinition {
  return definition;
}

/** A setting: its value, or how it is read from the environment when the gateway starts. */
export type Setting<T> = T | ((env: Environment) => T);

/** A whole gateway. Environment variables override `listen`, `adminListen` and `streaming`. */
export interface GatewayDefinition {
  readonly streaming: { readonly enabled: boolean };
  /** File and line where its settings read variables, by their names. */
  readonly variables?: VariablePlaces;
  /** `host:port`; port 0 picks a free one. */
  readonly listen?: Setting<string>;
  readonly adminListen?: Setting<string>;
  /** How to listen; without TLS by default. */
  readonly tls?: (env: Environment) => ListenerKind;
  /** Proxies whose forwarding headers are trusted; none by default. */
  readonly trustedProxies?: (env: Environment) => ReadOrigin;
  readonly limits?: Setting<Limits>;
  /** Makes what counts and records; it opens nothing before the gateway listens. */
  readonly analytics?: (env: Environment) => GatewayObserver;
  /** Where requests are counted, for the protections of all APIs. */
  readonly counters?: CounterSetting;
  /** What decides which replica runs an input that replicas would each run. */
  readonly leases?: (env: Environment) => LeaseSetting;
  /** Who may call, for the protections of all APIs. */
  readonly keys?: (env: Environment) => Keys;
  /** What gives out tokens of the gateway's own. */
  readonly oauth?: (env: Environment) => OauthServer;
  /** Where records are kept that change while it runs. */
  readonly store?: (env: Environment) => StoreSource;
  /** What developers ask for access at, and get it; it needs a store. */
  readonly portal?: (env: Environment) => Portal;
  readonly apis: readonly ApiDefinition[];
}

/** A gateway, as written in an emitted `gateway.ts`. Exists to fix the type. */
export function defineGateway(definition: GatewayDefinition): GatewayDefinition {
  return definition;
}
