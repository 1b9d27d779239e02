// Deployments in a folder: `manifest.json`, `manifest.sig` if it is signed, and `blobs/<hex sha256>`. The folder is
// either a source that others write to, or the gateway's own copy of what it runs.

import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pause } from "../../concurrency/backoff.ts";
import { makeMachineFolder, writeThroughDraft } from "../../process/machine-files.ts";
import { ArtifactError, maximumManifestBytes } from "./manifest.ts";
import { hexDigest } from "./signature.ts";
import { type ArtifactSource, maximumBlobBytes, type SignedManifest } from "./source.ts";

/** Milliseconds between two checks of the folder. */
const pollInterval = 250;
const maximumSignatureBytes = 1024;

/** Returns a source that reads the deployment in a folder. */
export function folderSource(folder: string): ArtifactSource {
  const manifest = join(folder, "manifest.json");
  let seen: string | undefined;
  return {
    name: folder,
    async next(known, wait, signal) {
      const end = performance.now() + wait;
      for (;;) {
        const state = await stateOf(manifest);
        // Comparing the file's state first is cheaper than reading and hashing the manifest several times a second.
        if (known === undefined || state !== seen) {
          const found = await readSigned(folder);
          seen = state;
          if (found.digest !== known) return found;
        }
        if (performance.now() >= end || signal.aborted) return undefined;
        await pause(Math.min(pollInterval, Math.max(0, end - performance.now())), signal);
      }
    },
    // The name is a digest, so it cannot lead out of the folder.
    blob: (digest) => readBounded(join(folder, "blobs", digest), maximumBlobBytes),
  };
}

/** Writes a manifest whose blobs exist already, and removes blobs that neither it nor `kept` names. */
export async function writeManifest(
  folder: string,
  { bytes, signature }: SignedManifest,
  kept: ReadonlySet<string>,
): Promise<void> {
  await makeMachineFolder(folder);
  // The signature is written first, as readers watch the manifest. A reader in between finds that they do not match,
  // and reads again.
  const signatureFile = join(folder, "manifest.sig");
  if (signature === undefined) await rm(signatureFile, { force: true });
  else await replaceFile(signatureFile, `${signature}\n`);
  await replaceFile(join(folder, "manifest.json"), bytes);
  const blobs = join(folder, "blobs");
  for (const name of await readdir(blobs).catch(() => [] as string[]))
    if (!kept.has(name)) await rm(join(blobs, name), { force: true });
}

/** The file next to a gateway's copy that records the highest deployment number: lower numbers are refused. */
const highestFile = "highest-deployment";

/** The deployment with the highest number that this gateway accepted. */
export interface HighestDeployment {
  readonly number: number;
  /** SHA-256 of its manifest, in hexadecimal; absent if an earlier gateway recorded only the number. */
  readonly digest?: string;
}

/** Returns the deployment recorded in a folder; `undefined` if there is none. Throws an `ArtifactError` if damaged. */
export async function readHighest(folder: string): Promise<HighestDeployment | undefined> {
  const bytes = await readBounded(join(folder, highestFile), maximumSignatureBytes).catch(ifMissing);
  if (bytes === undefined) return undefined;
  const [, number, digest] = /^(\d{1,16})(?: ([0-9a-f]{64}))?$/.exec(bytes.toString("utf8").trim()) ?? [];
  if (number === undefined)
    throw new ArtifactError(
      `${highestFile} in GW_CACHE_DIR has no number: write the number of the last deployment into it, or delete it`,
    );
  return { number: Number(number), ...(digest !== undefined && { digest }) };
}

/**
 * Records a deployment, so that no lower number, and no other deployment with its number, is served from this folder.
 */
export async function writeHighest(
  folder: string,
  { number, digest }: Required<HighestDeployment>,
): Promise<void> {
  await makeMachineFolder(folder);
  await replaceFile(join(folder, highestFile), `${number} ${digest}\n`);
}

/** Writes a blob to the folder, or replaces it. */
export async function writeBlob(folder: string, digest: string, bytes: Uint8Array): Promise<void> {
  const blobs = join(folder, "blobs");
  await makeMachineFolder(blobs);
  await replaceFile(join(blobs, digest), bytes);
}

/** Replaces a file atomically, even if the machine stops at any moment. */
async function replaceFile(path: string, content: Uint8Array | string): Promise<void> {
  await writeThroughDraft(dirname(path), content, (draft) => rename(draft, path));
  // The new name is durable only when its folder is flushed, too.
  await using parent = await open(dirname(path), "r");
  await parent.sync();
}

async function readSigned(folder: string): Promise<SignedManifest> {
  const bytes = await readBounded(join(folder, "manifest.json"), maximumManifestBytes);
  const signature = await readBounded(join(folder, "manifest.sig"), maximumSignatureBytes).catch(ifMissing);
  return {
    bytes,
    digest: hexDigest(bytes),
    ...(signature === undefined ? {} : { signature: signature.toString("utf8") }),
  };
}

function ifMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}

/** Returns a text that changes whenever another file replaces this one. */
async function stateOf(path: string): Promise<string> {
  const { ino, mtimeMs, size } = await stat(path);
  return `${ino} ${mtimeMs} ${size}`;
}

async function readBounded(path: string, most: number): Promise<Buffer> {
  await using file = await open(path, "r");
  const { size } = await file.stat();
  if (size > most) throw new ArtifactError(`${path} has more than ${most} bytes`);
  // The file may grow meanwhile, and a pipe reports a size of 0.
  const buffer = Buffer.alloc(size);
  let read = 0;
  while (read < size) {
    const { bytesRead } = await file.read(buffer, read, size - read, read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return buffer.subarray(0, read);
}
