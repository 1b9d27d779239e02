// What emitted code calls for a stream that reads variables of requests.

import type { StreamParts } from "../../component/component.ts";
import type { Environment } from "../../process/environment.ts";
import type { RequestValues } from "./request-values.ts";
import { createStreamInstances, type InstancesOptions, type StreamInstances } from "./stream-instances.ts";

/** A stream with an instance for each set of values that requests give its variables. */
export interface InstancedStream {
  /** `context.headers_X_Tenant`, `meta.team`. */
  readonly variables: readonly string[];
  /** Makes the parts of one instance; opens nothing. */
  readonly create: (env: Environment, request: RequestValues) => StreamParts;
  /** Runs the instances. It comes with the stream so that other gateways carry no code for them. */
  readonly instances: (options: InstancesOptions) => StreamInstances;
}

/** A stream whose parts `create` makes from the values of `variables`. */
export function perRequest(
  variables: readonly string[],
  create: (env: Environment, request: RequestValues) => StreamParts,
): InstancedStream {
  return { variables, create, instances: createStreamInstances };
}
