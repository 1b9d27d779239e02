import { compileDocuments } from "../compiler/compile.ts";
import { renderPretty } from "../compiler/diagnostics/render/pretty.ts";
import { createMemoryFileSystem } from "../compiler/parse/document/file-system.ts";
import { projectRoot } from "./harness/directories.ts";

/** A linked gateway. */
export interface Bundle {
  /** The text of `gateway.mjs`. */
  readonly code: string;
  /** The bytes that each module contributes, by its name. */
  readonly modules: ReadonlyMap<string, number>;
}

export interface BundleOptions {
  readonly minify?: boolean;
  /** `analytics` in `gateway.yaml`. */
  readonly analytics?: object;
  /** `keys` in `gateway.yaml`. */
  readonly keys?: readonly object[];
  /** `oauth_clients` in `gateway.yaml`, with the policy they name. */
  readonly clients?: readonly object[];
  /** `portal` in `gateway.yaml`, with a store. */
  readonly portal?: object;
}

/** Links a gateway with one stream, written as below `x-gw-streaming.streams.NAME`. */
export function bundleStream(stream: object, options: BundleOptions = {}): Promise<Bundle> {
  return bundleStreams({ stream }, options);
}

/** Links a gateway with several streams, written as below `x-gw-streaming.streams`. */
export function bundleStreams(
  streams: Readonly<Record<string, object>>,
  options: BundleOptions = {},
): Promise<Bundle> {
  return bundleApi({ "x-gw-streaming": { streams } }, options);
}

/** Links the gateway of a document with these parts. */
export async function bundleApi(
  parts: object,
  { minify = false, analytics, keys, clients, portal }: BundleOptions = {},
): Promise<Bundle> {
  const document = { openapi: "3.1.1", info: { title: "Bundle", version: "1" }, paths: {}, ...parts };
  const allowed = {
    allow_unsafe: [
      "csv",
      "sqlite",
      "file",
      "file_tail",
      "fsevent",
      "parquet",
      "stdin",
      "stdout",
      "socket_server",
      "subprocess:cat",
    ],
  };
  const granting = clients && { oauth_clients: clients, policies: [{ id: "gold", access_rights: {} }] };
  const settings = {
    ...{ streaming: { enabled: true }, apis: ["api.json"], analytics, keys },
    ...granting,
    ...(portal && { store: "sqlite:./gateway.db", portal: { enabled: true, ...portal } }),
    ...allowed,
  };
  const fileSystem = createMemoryFileSystem({
    "api.json": JSON.stringify(document),
    "gateway.yaml": JSON.stringify(settings),
  });
  const result = await compileDocuments(["gateway.yaml"], { packageRoot: projectRoot, fileSystem, minify });
  const code = result.files?.get("gateway.mjs");
  if (code === undefined || result.modules === undefined) {
    throw new Error(renderPretty(result.diagnostics, { color: false }));
  }
  return { code, modules: result.modules };
}

/** Returns the packages that contribute bytes: `@scope/name` for `node_modules/@scope/name/lib/x.js`. */
export function packagesOf({ modules }: Bundle): ReadonlySet<string> {
  const names = [...modules.keys()].map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  return new Set(names.filter((name) => name !== undefined));
}

/** Returns the connectors that contribute bytes: `kafka/input` for `runtime/connectors/kafka/input.ts`. */
export function connectorsOf({ modules }: Bundle): ReadonlySet<string> {
  const names = [...modules.keys()].map((path) => /^runtime\/connectors\/([^/]+)\//.exec(path)?.[1]);
  return new Set(names.filter((name) => name !== undefined));
}
