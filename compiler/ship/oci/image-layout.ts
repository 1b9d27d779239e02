// Writes the image of a gateway (OCI image specification, image-layout.md and layer.md): the layers of a base image, and a layer with the gateway. Layers are tar archives
// (POSIX.1-1988, ustar): the same entries result in the same bytes.

import { createHash } from "node:crypto";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { containerFolder, containerUser, oldestNode, runsGateways } from "../container-context.ts";
import {
  type BaseImage,
  BaseImageProblem,
  blobPath,
  checkBlob,
  type Descriptor,
  type ImageConfig,
  mediaTypes,
  readBaseImages,
  refName,
} from "./base-image.ts";

/** A file of an archive; folders above it are separate entries. */
interface TarFile {
  /** The path below the root, without a leading `/`: at most 99 bytes. */
  readonly path: string;
  readonly content: Buffer;
}

const blockSize = 512;

/** Creates an archive with read-only files of root and their folders, dated 1970-01-01. */
export function createTar(files: readonly TarFile[]): Buffer {
  const folders = new Set(files.flatMap(({ path }) => foldersAbove(path)));
  const entries = [
    ...[...folders].sort().map((folder) => header(`${folder}/`, 0, "5", 0o755)),
    ...files
      .toSorted((one, other) => (one.path < other.path ? -1 : 1))
      .flatMap(({ path, content }) => [header(path, content.length, "0", 0o444), content, padding(content)]),
  ];
  // Two empty blocks end an archive.
  return Buffer.concat([...entries, Buffer.alloc(2 * blockSize)]);
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

function padding(content: Buffer): Buffer {
  return Buffer.alloc((blockSize - (content.length % blockSize)) % blockSize);
}

function header(path: string, size: number, type: "0" | "5", mode: number): Buffer {
  if (Buffer.byteLength(path) > 99) throw new Error(`the path is too long for an archive: ${path}`);
  const block = Buffer.alloc(blockSize);
  const octal = (value: number, at: number, length: number) =>
    block.write(value.toString(8).padStart(length - 1, "0"), at, "latin1");
  block.write(path, 0, "utf8");
  octal(mode, 100, 8);
  octal(0, 108, 8); // user
  octal(0, 116, 8); // group
  octal(size, 124, 12);
  octal(0, 136, 12); // time
  block.write("        ", 148, "latin1"); // the checksum counts as blanks while it is computed
  block.write(type, 156, "latin1");
  block.write("ustar\u000000", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

/** The parts of an image. */
export interface ImageParts {
  /** The layout of the base image, and the tag of the image in it. */
  readonly base: { readonly folder: string; readonly tag?: string | undefined };
  /** The files of the gateway by name. */
  readonly files: ReadonlyMap<string, string>;
  readonly labels: Readonly<Record<string, string>>;
  /** The tag of the image in the layout. */
  readonly tag: string;
}

/** The date of images, which is fixed so that the same contents result in the same bytes. */
const created = "1970-01-01T00:00:00Z";

/**
 * Writes an OCI image layout into `folder`, an empty folder, with an image for each platform of the base. The same
 * parts result in the same bytes: the layer is not compressed, because the output of zlib can differ between releases.
 * Throws a `BaseImageProblem` if the base cannot be used.
 */
export async function writeImage(folder: string, { base, files, labels, tag }: ImageParts): Promise<void> {
  const images = await readBaseImages(base.folder, base.tag);
  const tar = createTar(
    [...files].map(([name, text]) => ({ path: `${containerFolder}/${name}`, content: Buffer.from(text) })),
  );
  await mkdir(join(folder, "blobs", "sha256"), { recursive: true });
  const layer = await writeBlob(folder, tar, mediaTypes.layer);
  const manifests: Descriptor[] = [];
  for (const image of images) {
    for (const each of image.layers) await copyBlob(base.folder, folder, each);
    const config = configOf(image, layer.digest, labels);
    const written = await writeBlob(folder, jsonOf(config), mediaTypes.config);
    const manifest = {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: written,
      layers: [...image.layers, layer],
      annotations: { "org.opencontainers.image.base.digest": image.digest, ...labels },
    };
    const { platform } = image;
    manifests.push({ ...(await writeBlob(folder, jsonOf(manifest), mediaTypes.manifest)), platform });
  }
  const [only, ...others] = manifests;
  const top =
    others.length === 0 && only !== undefined
      ? only
      : await writeBlob(
          folder,
          jsonOf({ schemaVersion: 2, mediaType: mediaTypes.index, manifests }),
          mediaTypes.index,
        );
  const index = { schemaVersion: 2, manifests: [{ ...top, annotations: { [refName]: tag } }] };
  await writeFile(join(folder, "index.json"), jsonOf({ ...index }));
  await writeFile(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
}

function configOf(
  { config }: BaseImage,
  layer: string,
  labels: Readonly<Record<string, string>>,
): ImageConfig {
  const { Env = [], Entrypoint, Labels } = config.config ?? {};
  // Images of Node declare its version.
  const node = Env.map((each) => /^NODE_VERSION=(\d+\.\d+)/.exec(each)?.[1]).find((found) => found);
  if (node !== undefined && !runsGateways(node))
    throw new BaseImageProblem(`it has Node ${node}, and a gateway needs ${oldestNode} or newer`);
  // Images without a shell start Node by its path.
  const [program = ""] = Entrypoint ?? [];
  const start = /(^|\/)node$/.test(program) ? [program] : ["node"];
  return {
    ...config,
    ...{ created, author: "sluice" },
    config: {
      ...config.config,
      ...{ User: containerUser, WorkingDir: `/${containerFolder}`, StopSignal: "SIGTERM" },
      ...{ Entrypoint: start, Cmd: ["--enable-source-maps", `/${containerFolder}/gateway.mjs`] },
      ...{ ExposedPorts: { "8080/tcp": {} }, Labels: { ...Labels, ...labels } },
    },
    rootfs: { type: "layers", diff_ids: [...config.rootfs.diff_ids, layer] },
    // A history names every layer: a base without one stays without one.
    ...(config.history && {
      history: [...config.history, { created, created_by: "sluice build --container" }],
    }),
  };
}

async function copyBlob(from: string, to: string, descriptor: Descriptor): Promise<void> {
  await checkBlob(from, descriptor);
  const target = blobPath(to, descriptor.digest);
  await mkdir(dirname(target), { recursive: true });
  await copyFile(blobPath(from, descriptor.digest), target);
}

async function writeBlob(folder: string, content: Buffer, mediaType: string): Promise<Descriptor> {
  const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
  await writeFile(blobPath(folder, digest), content);
  return { mediaType, digest, size: content.length };
}

function jsonOf(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
