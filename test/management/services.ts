// A management service with a store of its own, in this process, with requests over HTTP.

import { type Installation, type RunningService, startService } from "../../management/service.ts";
import { readServiceSettings } from "../../management/settings.ts";
import { createEnvironment } from "../../runtime/process/environment.ts";
import { createLogger } from "../../runtime/process/log.ts";
import type { StoreAddress } from "../../runtime/store/address.ts";

/** Keys of two organisations; the first needs no name. */
export const keys = { own: "key-of-own-users", other: "key-of-other-users" } as const;

/** A response with the fields that most responses have. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body, unchanged. */
  readonly text: string;
  readonly body: AnswerBody;
}

export interface AnswerBody {
  readonly [field: string]: unknown;
  readonly Status?: string;
  readonly Message: string;
  readonly Errors?: readonly Readonly<Record<string, unknown>>[];
  readonly Data: readonly Readonly<Record<string, unknown>>[];
  readonly Pages: number;
  readonly ID: string;
}

/** A service, and functions that send requests to it. */
export interface TestService extends RunningService {
  readonly store: StoreAddress;
  /** Sends a request with the key of `own` unless headers specify another; objects are sent as JSON. */
  ask(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
}

/** Options for starting a service. */
export interface TestServiceOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly settings?: Parameters<typeof readServiceSettings>[1];
  /** The path of its `management.yaml`, which need not exist. */
  readonly path?: string;
}

/** Returns the address in the format of `GW_STORE_URL`. */
export function urlOf(store: StoreAddress): string {
  return store.kind === "sqlite" ? `sqlite:${store.file}` : store.url;
}

/**
 * The installation that services deploy for; gateways of another runtime would refuse the deployments. Its threads run the
 * bundle, as in production: the sources take seconds to load.
 */
export const installation: Installation = {
  runtime: `sha256-${"0".repeat(64)}`,
  version: "test",
  compilingThread: new URL("../../dist/management-worker.js", import.meta.url),
};

/** Starts a service on the store at `store`, with streaming switched on. */
export async function startTestService(
  store: StoreAddress,
  { environment = {}, settings = {}, path = "management.yaml" }: TestServiceOptions = {},
): Promise<TestService> {
  const variables = {
    GW_MANAGEMENT_API_KEYS: `${keys.own},other:${keys.other}`,
    GW_MANAGEMENT_LISTEN: "127.0.0.1:0",
    GW_MANAGEMENT_STREAMING_ENABLED: "true",
    GW_STORE_URL: urlOf(store),
    ...environment,
  };
  const env = createEnvironment(variables, () => "");
  const read = env.collect(() => readServiceSettings(env, settings, path));
  const service = await startService(read, installation, createLogger("silent"));
  return {
    ...service,
    store,
    ask: (method, path, body, headers = {}) => ask(service.address, method, path, body, headers),
  };
}

/** Sends a request to the service at an address. */
export async function ask(
  address: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(`${address}/api${path}`, {
    method,
    headers: {
      authorization: keys.own,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json|oas/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== "" ? JSON.parse(text) : {},
  };
}
