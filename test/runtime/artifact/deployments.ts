import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import {
  type DeployableGateway,
  type DeployedSet,
  Deployer,
  type DeployerOptions,
} from "../../../runtime/gateway/artifact/deployer.ts";
import type { RuntimeModules } from "../../../runtime/gateway/artifact/load-unit.ts";
import {
  type ApiArtifact,
  type ArtifactManifest,
  printManifest,
} from "../../../runtime/gateway/artifact/manifest.ts";
import { hexDigest, signBytes } from "../../../runtime/gateway/artifact/signature.ts";
import type { ArtifactSource, SignedManifest } from "../../../runtime/gateway/artifact/source.ts";
import type { DeployedApi } from "../../../runtime/gateway/live/deployed-api.ts";
import type { GatewayDefinition } from "../../../runtime/gateway.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import { projectRoot } from "../../harness/directories.ts";

/** The runtime of these tests: its source modules. */
export const runtime: RuntimeModules = {
  digest: `sha256-${"ab".repeat(32)}`,
  load: (module) => import(join(projectRoot, module)),
};

const digest = "0".repeat(64);
const digests = { input: digest, pipeline: digest, output: digest, resources: digest, shape: digest };

/** A deployment as tests describe it: modules by name; `gateway` is the module of what belongs to the process. */
export interface Sample {
  readonly number?: number;
  readonly runtime?: string;
  /** The text of the module of each API. */
  readonly apis: Readonly<Record<string, string>>;
  readonly gateway?: string;
}

/** Returns a module that runs `first`, then calls a `define…` function of the runtime. */
export const moduleOf = (call: string, first = "") =>
  `${first};module.exports = { default: require("sluice/runtime/gateway.ts").${call} };`;

/** Returns the module of an API. */
export const apiModule = (id: string, version: number, first = "") =>
  moduleOf(
    `defineApi({ id: "${id}", name: "version ${version}", listenPath: "/${id}/", streams: {} })`,
    first,
  );

const gatewayModule = moduleOf("defineGateway({ streaming: { enabled: true }, apis: [] })");

export interface Packed extends SignedManifest {
  readonly manifest: ArtifactManifest;
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

export const keys = generateKeyPairSync("ed25519");

/** Packs the deployment as it is stored, signed with `keys`. */
export function pack({
  number = 1,
  runtime: compiled = runtime.digest,
  apis,
  gateway = gatewayModule,
}: Sample): Packed {
  const blobs = new Map<string, Uint8Array>();
  const store = (code: string) => {
    const bytes = new TextEncoder().encode(code);
    blobs.set(hexDigest(bytes), bytes);
    return { module: hexDigest(bytes), imports: ["runtime/gateway.ts"] };
  };
  const manifest: ArtifactManifest = {
    ...{ format: 1, number, runtime: compiled, gateway: store(gateway) },
    apis: Object.entries(apis).map(([id, code]): ApiArtifact => {
      return { ...store(code), id, listenPath: `/${id}/`, streams: { intake: digests } };
    }),
  };
  const bytes = printManifest(manifest);
  return { manifest, blobs, bytes, digest: hexDigest(bytes), signature: signBytes(bytes, keys.privateKey) };
}

/** Returns a source whose content a test can change. */
export function memorySource(): ArtifactSource & {
  serve(packed: Packed): void;
  blobs: Map<string, Uint8Array>;
} {
  let current: Packed | undefined;
  const blobs = new Map<string, Uint8Array>();
  return {
    name: "memory",
    blobs,
    serve(packed) {
      current = packed;
      for (const [name, bytes] of packed.blobs) blobs.set(name, bytes);
    },
    async next(known) {
      if (current === undefined) throw new Error("nothing is there");
      return current.digest === known ? undefined : current;
    },
    async blob(name) {
      const bytes = blobs.get(name);
      if (bytes === undefined) throw new Error("there is no such blob");
      return bytes;
    },
  };
}

/** A gateway that only records what it receives, in the notation of the tests. */
export class RecordingGateway implements DeployableGateway {
  readonly started: GatewayDefinition[] = [];
  /** The APIs of each deployment that was applied, such as `orders version 1`. */
  readonly applied: (readonly string[])[] = [];
  last: readonly DeployedApi[] = [];

  async apply({ apis }: DeployedSet) {
    this.last = apis;
    this.applied.push(apis.map(({ definition }) => `${definition.id} ${definition.name}`));
    return apis.map(({ definition }) => ({ api: definition.id, outcome: "applied" as const }));
  }
}

/** Returns a deployer of a gateway that only records what it receives. */
export function recordingDeployer(options: Partial<DeployerOptions> = {}) {
  const gateway = new RecordingGateway();
  const lines: Record<string, unknown>[] = [];
  const deployer = new Deployer({
    ...{ runtime, key: undefined, cacheFolder: undefined },
    log: createLogger("debug", { write: (line) => lines.push(JSON.parse(line)) }),
    async start(definition) {
      gateway.started.push(definition);
      return gateway;
    },
    ...options,
  });
  return { deployer, gateway, lines };
}
