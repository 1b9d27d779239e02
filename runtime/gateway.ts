// What an emitted gateway is: data that a host can start.

import type { Input, Output, Processor } from "./component.ts";
import type { Environment } from "./environment.ts";
import type { Resource } from "./resource.ts";

/** What happens to messages that a processor failed on. */
export interface ErrorHandling {
  /** `reject`: refuse to the input; `none`: deliver anyway; `dead_letter`: hand to `output`. */
  readonly strategy: "reject" | "none" | "dead_letter";
  /** Attempts before a broker message counts as undeliverable; 0 means without end. */
  readonly max_attempts?: number;
  readonly output?: Output;
}

/** The parts of one stream instance, unstarted. */
export interface StreamParts {
  readonly input: Input;
  readonly pipeline?: readonly Processor[];
  readonly output: Output;
  readonly errorHandling?: ErrorHandling;
  /** What the parts share; started before them and closed after them. */
  readonly resources?: readonly Resource[];
  /** Makes parts anew around the same resources; absent where there are none. */
  readonly again?: () => StreamParts;
}

/** Makes the parts of one instance of a stream; opens nothing. */
export type StreamFactory = (env: Environment) => StreamParts;

/** Parts around resources, which stay the same however often the parts of one stream are made. */
export function sharing(resources: readonly Resource[], create: () => StreamParts): StreamParts {
  const again = (): StreamParts => ({ ...create(), resources, again });
  return again();
}

/** One API of a gateway. */
export interface ApiDefinition {
  readonly id: string;
  readonly name?: string;
  /** Begins and ends with `/`. */
  readonly listenPath: string;
  /** Where requests go that no stream route takes; without one they get 404. */
  readonly upstream?: (env: Environment) => string;
  readonly streams: Readonly<Record<string, StreamFactory>>;
}

/** A setting: its value, or how it is read from the environment when the gateway starts. */
export type Setting<T> = T | ((env: Environment) => T);

/** A whole gateway. Environment variables override `listen`, `adminListen` and `streaming`. */
export interface GatewayDefinition {
  readonly streaming: { readonly enabled: boolean };
  /** `host:port`; port 0 picks a free one. */
  readonly listen?: Setting<string>;
  readonly adminListen?: Setting<string>;
  readonly limits?: Setting<{ readonly max_body_bytes?: number }>;
  readonly apis: readonly ApiDefinition[];
}

/** A gateway, as written in an emitted `gateway.ts`. Exists to fix the type. */
export function defineGateway(definition: GatewayDefinition): GatewayDefinition {
  return definition;
}
