// Packs compiled modules as a deployment, which gateways load from a folder or a service.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ApiArtifact, ArtifactManifest } from "../../runtime/gateway/artifact/manifest.ts";
import type { ApiUnit } from "../compile-units.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";
import type { LinkedUnit } from "../link/link-unit.ts";
import { DeploymentError, StartError } from "./errors.ts";

/** A deployment and the modules that it names. */
export interface Artifact {
  readonly manifest: ArtifactManifest;
  /** Texts by the SHA-256 of their bytes in hexadecimal. */
  readonly blobs: ReadonlyMap<string, string>;
}

/** The runtime in an installed package, on which gateways run deployments. */
export interface InstalledRuntime {
  /** `sha256-` and the hexadecimal digest of the whole runtime. */
  readonly digest: string;
  readonly folder: string;
}

/** Returns the runtime of the package. Throws a `StartError` if it was not built. */
export async function installedRuntime(packageRoot: string): Promise<InstalledRuntime> {
  const file = join(packageRoot, "dist/runtime-digest.json");
  try {
    const { digest }: { readonly digest: string } = JSON.parse(await readFile(file, "utf8"));
    return { digest, folder: join(packageRoot, "dist/runtime") };
  } catch (error) {
    throw new StartError([`${file} cannot be read: \`npm ci\` builds it in a clone`], { cause: error });
  }
}

/** Packs units as deployment `number` for gateways with that runtime. The same units produce the same bytes. */
export function packUnits(
  units: { readonly process: LinkedUnit; readonly apis: readonly ApiUnit[] },
  { number, runtime }: { readonly number: number; readonly runtime: string },
): Artifact {
  const { hexDigest } = loadRuntime("runtime/gateway/artifact/signature.ts");
  const blobs = new Map<string, string>();
  const pack = ({ code, imports }: LinkedUnit) => {
    const module = hexDigest(new TextEncoder().encode(code));
    blobs.set(module, code);
    return { module, imports };
  };
  const apis = units.apis.map((unit): ApiArtifact => {
    const { id, name, listenPath, streams } = unit;
    return { ...pack(unit), id, ...(name === undefined ? {} : { name }), listenPath, streams };
  });
  return { manifest: { format: 1, number, runtime, gateway: pack(units.process), apis }, blobs };
}

/**
 * Writes a deployment to a folder that gateways follow: blobs first, then the manifest, signed if `signingKey` (PEM)
 * is set. Its number is `number` if given. Otherwise it is one more than that of the existing deployment, or the same
 * number if the deployments are equal. Throws a `DeploymentError` if the key is not valid, or if the existing deployment
 * has a higher number, or differs and has the same number.
 */
export async function writeArtifact(
  folder: string,
  pack: (number: number) => Artifact,
  { signingKey, number }: { readonly signingKey: string | undefined; readonly number?: number | undefined },
): Promise<ArtifactManifest> {
  const { folderSource, writeBlob, writeManifest } = loadRuntime(
    "runtime/gateway/artifact/artifact-folder.ts",
  );
  const { printManifest, readManifest } = loadRuntime("runtime/gateway/artifact/manifest.ts");
  const { hexDigest, readSigningKey, signBytes } = loadRuntime("runtime/gateway/artifact/signature.ts");
  const key = signingKey === undefined ? undefined : readSigningKey(signingKey);
  if (signingKey !== undefined && key === undefined)
    throw new DeploymentError("GW_SIGNING_KEY is not a private Ed25519 key, in PEM");
  const there = await folderSource(folder).next(undefined, 0, AbortSignal.abort()).catch(ifMissing);
  const before = there === undefined ? undefined : readManifest(there.bytes);
  const same = pack(before?.number ?? 1);
  const isSame = there !== undefined && hexDigest(printManifest(same.manifest)) === there.digest;
  const wanted = number ?? (before?.number ?? 0) + (isSame ? 0 : 1);
  if (before !== undefined && (wanted < before.number || (wanted === before.number && !isSame)))
    throw new DeploymentError(
      `${folder} holds deployment ${before.number}: what is new needs a higher number`,
    );
  const { manifest, blobs } = wanted === same.manifest.number ? same : pack(wanted);
  for (const [digest, code] of blobs) await writeBlob(folder, digest, new TextEncoder().encode(code));
  const bytes = printManifest(manifest);
  const signed = { bytes, digest: hexDigest(bytes), ...(key && { signature: signBytes(bytes, key) }) };
  // Keep the previous blobs: gateways may still be fetching them.
  const earlier = before === undefined ? [] : [before.gateway, ...before.apis].map(({ module }) => module);
  await writeManifest(folder, signed, new Set([...blobs.keys(), ...earlier]));
  return manifest;
}

function ifMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}
