// Deployments in a folder: `manifest.json`, `manifest.sig` where it is signed, `blobs/<hex sha256>`. As a place that others
// write to, and as the gateway's own copy of what it runs.

import { open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pause } from "../../concurrency/backoff.ts";
import { makeMachineFolder } from "../../process/machine-files.ts";
import { ArtifactError, maximumManifestBytes } from "./manifest.ts";
import { hexDigest } from "./signature.ts";
import { type ArtifactSource, maximumBlobBytes, type SignedManifest } from "./source.ts";

/** Milliseconds between two looks at the folder. */
const pollInterval = 250;
const maximumSignatureBytes = 1024;

/** A folder with a deployment. */
export function folderSource(folder: string): ArtifactSource {
  const manifest = join(folder, "manifest.json");
  let seen: string | undefined;
  return {
    name: folder,
    async next(known, wait, signal) {
      const end = performance.now() + wait;
      for (;;) {
        const state = await stateOf(manifest);
        // Reading and hashing a manifest for nothing several times a second would cost more than this.
        if (known === undefined || state !== seen) {
          const found = await readSigned(folder);
          seen = state;
          if (found.digest !== known) return found;
        }
        if (performance.now() >= end || signal.aborted) return undefined;
        await pause(Math.min(pollInterval, Math.max(0, end - performance.now())), signal);
      }
    },
    // The name is a digest, so that it leads nowhere else.
    blob: (digest) => readBounded(join(folder, "blobs", digest), maximumBlobBytes),
  };
}

/** Writes a manifest whose blobs are there already, and drops blobs that neither it nor `kept` names. */
export async function writeManifest(
  folder: string,
  { bytes, signature }: SignedManifest,
  kept: ReadonlySet<string>,
): Promise<void> {
  await makeMachineFolder(folder);
  // First, as the manifest is what readers look at. One that comes in between finds the two not to fit, and looks again.
  const signatureFile = join(folder, "manifest.sig");
  if (signature === undefined) await rm(signatureFile, { force: true });
  else await replaceFile(signatureFile, `${signature}\n`);
  await replaceFile(join(folder, "manifest.json"), bytes);
  const blobs = join(folder, "blobs");
  for (const name of await readdir(blobs).catch(() => [] as string[]))
    if (!kept.has(name)) await rm(join(blobs, name), { force: true });
}

/** The file beside a gateway's copy that says which deployments are too old for it. */
const highestFile = "highest-deployment";

/** The deployment with the highest number that was taken. */
export interface HighestDeployment {
  readonly number: number;
  /** SHA-256 of its manifest, in hexadecimal; absent where an earlier gateway noted the number alone. */
  readonly digest?: string;
}

/** What was noted in a folder; `undefined` before the first. */
export async function readHighest(folder: string): Promise<HighestDeployment | undefined> {
  const bytes = await readBounded(join(folder, highestFile), maximumSignatureBytes).catch(ifMissing);
  if (bytes === undefined) return undefined;
  const [, number, digest] = /^(\d{1,15})(?: ([0-9a-f]{64}))?$/.exec(bytes.toString("utf8").trim()) ?? [];
  if (number === undefined) throw new ArtifactError(`${highestFile} of the copy holds no number`);
  return { number: Number(number), ...(digest !== undefined && { digest }) };
}

/** Notes a deployment, so that none with a lower number, and no other one with its number, is served from this folder on. */
export async function writeHighest(
  folder: string,
  { number, digest }: Required<HighestDeployment>,
): Promise<void> {
  await makeMachineFolder(folder);
  await replaceFile(join(folder, highestFile), `${number} ${digest}\n`);
}

/** Writes a blob, unless it is there. */
export async function writeBlob(folder: string, digest: string, bytes: Uint8Array): Promise<void> {
  const blobs = join(folder, "blobs");
  await makeMachineFolder(blobs);
  await replaceFile(join(blobs, digest), bytes);
}

/** Whole or not at all, whenever the machine stops. */
async function replaceFile(path: string, content: Uint8Array | string): Promise<void> {
  const fresh = `${path}.${process.pid}.new`;
  try {
    await writeFile(fresh, content, { flush: true });
    await rename(fresh, path);
  } catch (error) {
    // What a full disk took of it would stay full.
    await rm(fresh, { force: true });
    throw error;
  }
  // The new name is on the disk, too, once its folder is.
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

/** Changes whenever another file takes its place. */
async function stateOf(path: string): Promise<string> {
  const { ino, mtimeMs, size } = await stat(path);
  return `${ino} ${mtimeMs} ${size}`;
}

async function readBounded(path: string, most: number): Promise<Buffer> {
  await using file = await open(path, "r");
  const { size } = await file.stat();
  if (size > most) throw new ArtifactError(`${path} has more than ${most} bytes`);
  // It may grow meanwhile, and a pipe says it has none.
  const buffer = Buffer.alloc(size);
  let read = 0;
  while (read < size) {
    const { bytesRead } = await file.read(buffer, read, size - read, read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return buffer.subarray(0, read);
}
