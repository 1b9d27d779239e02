// Turns a manifest into what a gateway can run. No code of a deployment runs before everything about it is verified:
// its signature, the runtime it was compiled against, and the digest of each module.

import type { KeyObject } from "node:crypto";
import type { ApiDefinition, GatewayDefinition } from "../../gateway.ts";
import type { ApiOutcome, DeployedApi } from "../live/deployed-api.ts";
import type { HighestDeployment } from "./artifact-folder.ts";
import { loadUnit, type RuntimeModules, runtimeFor } from "./load-unit.ts";
import {
  type ApiArtifact,
  ArtifactError,
  type ArtifactManifest,
  type ModuleReference,
  readManifest,
} from "./manifest.ts";
import { hexDigest, isSigned } from "./signature.ts";
import type { ArtifactSource, SignedManifest } from "./source.ts";

/** What manifests are verified against. */
export interface Verification {
  readonly runtime: RuntimeModules;
  /** If set, a deployment must be signed with the private key, and must not be older than one that was served. */
  readonly key: KeyObject | undefined;
}

/**
 * Verifies and parses a signed manifest. With a key, it must not be older than `highest`, nor differ from `highest`
 * under the same number. Throws an `ArtifactError` if the manifest may not be run here.
 */
export function verifyManifest(
  { bytes, digest, signature }: SignedManifest,
  { runtime, key }: Verification,
  highest: HighestDeployment | undefined,
): ArtifactManifest {
  if (key !== undefined && signature === undefined) throw new ArtifactError("the manifest is not signed");
  if (key !== undefined && !isSigned(bytes, signature ?? "", key))
    throw new ArtifactError("the manifest is not signed by the holder of GW_VERIFY_KEY");
  const manifest = readManifest(bytes);
  if (manifest.runtime !== runtime.digest)
    throw new ArtifactError(
      `deployment ${manifest.number} was compiled against the runtime ${manifest.runtime}, and this gateway has ${runtime.digest}: both must be of one release`,
    );
  if (key !== undefined && highest !== undefined) refuseOlder(manifest, digest, highest);
  return manifest;
}

/**
 * Refuses older deployments: a recorded signed manifest could otherwise bring back mistakes that were repaired since.
 */
function refuseOlder({ number }: ArtifactManifest, digest: string, highest: HighestDeployment): void {
  if (number < highest.number)
    throw new ArtifactError(
      `deployment ${number} is older than ${highest.number}, which is served or was served before: a rollback needs a new number`,
    );
  if (number === highest.number && highest.digest !== undefined && digest !== highest.digest)
    throw new ArtifactError(
      `deployment ${number} is another one than the deployment ${number} that is served or was served before: each needs a number of its own`,
    );
}

/** Returns the module that a reference names, from the first of `sources` that has it. */
export async function fetchModule(
  { module }: ModuleReference,
  sources: readonly Pick<ArtifactSource, "name" | "blob">[],
  signal: AbortSignal,
): Promise<Uint8Array> {
  const problems: string[] = [];
  for (const source of sources) {
    try {
      const bytes = await source.blob(module, signal);
      if (hexDigest(bytes) === module) return bytes;
      problems.push(`${source.name} has other bytes under its name`);
    } catch (error) {
      signal.throwIfAborted();
      problems.push(`${source.name}: ${describe(error)}`);
    }
  }
  throw new ArtifactError(`the module ${module.slice(0, 12)} cannot be had: ${problems.join("; ")}`);
}

/** Evaluates the module of the process and returns its definition. */
export async function loadProcess(
  reference: ModuleReference,
  bytes: Uint8Array,
  runtime: RuntimeModules,
): Promise<GatewayDefinition> {
  // The digest proves that the compiler wrote the module, and it wrote a call of `defineGateway`.
  return (await load("gateway", reference, bytes, runtime)) as GatewayDefinition;
}

/** Evaluates the module of an API and returns the deployed API. */
export async function loadApi(
  api: ApiArtifact,
  bytes: Uint8Array,
  runtime: RuntimeModules,
): Promise<DeployedApi> {
  // As above, with `defineApi`.
  const own = runtimeFor(api.organisation, runtime);
  const definition = (await load(api.id, api, bytes, own)) as ApiDefinition;
  return deployedOf(api, definition);
}

/** Combines a definition with the manifest's entry for the API. The manifest decides the owner, not the code. */
export function deployedOf(api: ApiArtifact, definition: ApiDefinition): DeployedApi {
  return {
    definition: ownedBy(api.organisation, definition),
    digest: api.module,
    streams: api.streams,
    stopped: new Set(api.stopped),
    restarts: new Map(Object.entries(api.restarts ?? {})),
  };
}

/** Returns the definition with the given owner; the same object if that changes nothing. */
function ownedBy(organisation: string | undefined, definition: ApiDefinition): ApiDefinition {
  if (definition.organisation === organisation) return definition;
  const { organisation: _, ...rest } = definition;
  return { ...rest, ...(organisation !== undefined && { organisation }) };
}

/** Returns the outcome of an API whose module cannot be evaluated. */
export function rolledBack(api: ApiArtifact, error: unknown): ApiOutcome {
  return { api: api.id, outcome: "rolled back", reason: `its module cannot be loaded: ${describe(error)}` };
}

/** Returns the message of an error with that of its cause: errors of `fetch` give the reason only in the cause. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const cause = error.cause instanceof Error ? ` (${error.cause.message || error.cause.name})` : "";
  return `${error.message}${cause}`;
}

function load(
  name: string,
  { module, imports }: ModuleReference,
  bytes: Uint8Array,
  runtime: RuntimeModules,
): Promise<unknown> {
  const code = new TextDecoder().decode(bytes);
  return loadUnit({ code, imports, filename: `${name} ${module.slice(0, 12)}.js` }, runtime);
}
