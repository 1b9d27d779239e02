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

/** The runtime of these tests: the sources. */
export const runtime: RuntimeModules = {
  digest: `sha256-${"ab".repeat(32)}`,
  load: (module) => import(join(projectRoot, module)),
};

const digest = "0".repeat(64);
const digests = { input: digest, pipeline: digest, output: digest, resources: digest, shape: digest };

/** A deployment as it is told of: modules by name, `gateway` for what belongs to the process. */
export interface Sample {
  readonly number?: number;
  readonly runtime?: string;
  /** Text of the module of each API; `version 1` of it by default. */
  readonly apis: Readonly<Record<string, string>>;
  readonly gateway?: string;
}

/** A module that defines something of the runtime, after `first` ran. */
export const moduleOf = (call: string, first = "") =>
  `${first};module.exports = { default: require("sluice/runtime/gateway.ts").${call} };`;

/** The module of an API. */
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

/** The deployment as it would be stored, signed by `keys`. */
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

/** A source whose content a test changes. */
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

/** A gateway that only notes what it is given, in the words of the tests. */
export class RecordingGateway implements DeployableGateway {
  readonly started: GatewayDefinition[] = [];
  /** `orders version 1`, for each time it was told. */
  readonly applied: (readonly string[])[] = [];
  last: readonly DeployedApi[] = [];

  async apply({ apis }: DeployedSet) {
    this.last = apis;
    this.applied.push(apis.map(({ definition }) => `${definition.id} ${definition.name}`));
    return apis.map(({ definition }) => ({ api: definition.id, outcome: "applied" as const }));
  }
}

/** A deployer of a gateway that only notes. */
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
