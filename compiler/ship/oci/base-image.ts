// Reads a base image from an image layout (OCI image specification 1.1, image-layout.md).

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

/** An error in a base image; the message is a clause that follows its path and a colon. */
export class BaseImageProblem extends Error {
  override readonly name = "BaseImageProblem";
}

/** A reference to a blob. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: Platform;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The platform that an image runs on. */
export interface Platform {
  readonly architecture: string;
  readonly os: string;
  readonly variant?: string;
}

/** The parts of a configuration that a derived image changes; all other parts are kept. */
export interface ImageConfig extends Platform {
  readonly config?: {
    readonly Env?: readonly string[];
    readonly Entrypoint?: readonly string[] | null;
    readonly Labels?: Readonly<Record<string, string>> | null;
  };
  readonly rootfs: { readonly type: "layers"; readonly diff_ids: readonly string[] };
  readonly history?: readonly object[];
}

/** A base image for one platform. */
export interface BaseImage {
  /** The digest of its manifest. */
  readonly digest: string;
  readonly platform: Platform;
  readonly config: ImageConfig;
  readonly layers: readonly Descriptor[];
}

/** Media types of the specification that are read and written here. */
export const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar",
} as const;

/** The annotation with the tag of an image in a layout. */
export const refName = "org.opencontainers.image.ref.name";

/** Maximum bytes of an index, a manifest or a configuration; registries accept no larger ones (4 MiB). */
const mostJson = 4 * 1024 * 1024;

/**
 * Returns the Linux images in the layout at `folder`, one for each platform; with `tag`, only images with this tag.
 * Every digest is checked, except those of layers (see `checkBlob`). Throws a `BaseImageProblem` if the layout cannot
 * be used.
 */
export async function readBaseImages(folder: string, tag?: string): Promise<readonly BaseImage[]> {
  const layout = await readJson(join(folder, "oci-layout")).catch((error) => {
    throw new BaseImageProblem("it is not an OCI image layout", { cause: error });
  });
  if (layout.imageLayoutVersion !== "1.0.0") throw new BaseImageProblem("its layout is not of version 1.0.0");
  const { manifests = [] } = (await readJson(join(folder, "index.json"))) as { manifests?: Descriptor[] };
  const named = manifests.filter((each) => tag === undefined || each.annotations?.[refName] === tag);
  if (named.length === 0)
    throw new BaseImageProblem(tag === undefined ? "it holds no image" : `it holds no image \`${tag}\``);
  const images: BaseImage[] = [];
  for (const descriptor of named) images.push(...(await readDescribed(folder, descriptor)));
  if (images.length === 0) throw new BaseImageProblem("it holds no image for Linux");
  const platforms = images.map(({ platform }) => nameOfPlatform(platform));
  const twice = platforms.find((name, index) => platforms.indexOf(name) !== index);
  if (twice !== undefined)
    throw new BaseImageProblem(`it holds several images for ${twice}; name one of them as \`PATH:TAG\``);
  return images;
}

/** Returns the name of a platform: `linux/arm64/v8`. */
function nameOfPlatform({ os, architecture, variant }: Platform): string {
  return [os, architecture, ...(variant === undefined ? [] : [variant])].join("/");
}

/** Returns the file of a blob. Throws a `BaseImageProblem` if the digest is not a SHA-256 digest. */
export function blobPath(folder: string, digest: string): string {
  if (!/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new BaseImageProblem(`it has a digest of another kind than sha256`);
  return join(folder, "blobs", ...digest.split(":"));
}

/** Throws a `BaseImageProblem` if the blob does not match its descriptor. */
export async function checkBlob(folder: string, { digest, size }: Descriptor): Promise<void> {
  const path = blobPath(folder, digest);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new BaseImageProblem(`the blob ${digest} is missing`);
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  if (found.size !== size || `sha256:${hash.digest("hex")}` !== digest)
    throw new BaseImageProblem(`the blob ${digest} has other content than its digest says`);
}

async function readDescribed(
  folder: string,
  descriptor: Descriptor,
  depth = 0,
): Promise<readonly BaseImage[]> {
  if (depth > 3) throw new BaseImageProblem("its indexes are nested too deeply");
  if (descriptor.mediaType === mediaTypes.index) {
    const { manifests } = await readBlob<{ manifests: Descriptor[] }>(folder, descriptor);
    const images: BaseImage[] = [];
    for (const each of manifests) {
      // Attestations of a build are listed as manifests for the platform `unknown`.
      if (each.platform !== undefined && each.platform.os !== "linux") continue;
      images.push(...(await readDescribed(folder, each, depth + 1)));
    }
    return images;
  }
  if (descriptor.mediaType !== mediaTypes.manifest)
    throw new BaseImageProblem(
      `\`${descriptor.mediaType}\` is not an OCI image; convert it with \`skopeo copy --format oci\``,
    );
  const manifest = await readBlob<{ config: Descriptor; layers: Descriptor[] }>(folder, descriptor);
  if (manifest.config?.mediaType !== mediaTypes.config || !Array.isArray(manifest.layers))
    throw new BaseImageProblem("a manifest in it describes no image");
  const config = await readBlob<ImageConfig>(folder, manifest.config);
  if (config.os !== "linux") return [];
  if (config.rootfs?.diff_ids?.length !== manifest.layers.length)
    throw new BaseImageProblem("its configuration and its manifest list different numbers of layers");
  const { architecture, os, variant } = config;
  const platform = { architecture, os, ...(variant !== undefined && { variant }) };
  return [{ digest: descriptor.digest, platform, config, layers: manifest.layers }];
}

async function readBlob<T>(folder: string, descriptor: Descriptor): Promise<T> {
  if (descriptor.size > mostJson) throw new BaseImageProblem(`the blob ${descriptor.digest} is too large`);
  await checkBlob(folder, descriptor);
  return (await readJson(blobPath(folder, descriptor.digest))) as T;
}

async function readJson(path: string): Promise<Readonly<Record<string, unknown>>> {
  const { size } = await stat(path);
  if (size > mostJson) throw new BaseImageProblem(`the file ${path} is too large`);
  const value: unknown = JSON.parse(await readFile(path, "utf8"));
  if (typeof value !== "object" || value === null) throw new BaseImageProblem(`${path} holds no object`);
  return value as Readonly<Record<string, unknown>>;
}
