// What `sluice build` writes beside a gateway for those who ship it: container files, an image, manifests of Kubernetes.

import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "../emit/manifest.ts";
import { containerContext, imageFiles, imageLabels } from "../ship/container-context.ts";
import { BaseImageProblem } from "../ship/oci/base-image.ts";
import { writeImage } from "../ship/oci/image-layout.ts";
import { OutputError, orOutputError } from "./output-folder.ts";

/** What `sluice build` was told about shipping. */
export interface ShippingOptions {
  readonly container?: boolean;
  /** An image layout, with `:TAG` behind it where it holds several images. */
  readonly baseImage?: string;
  /** What the image is called. */
  readonly image?: string;
}

/** The folder of the image layout within the output. */
export const imageFolder = "image";

/** Files beside those of the build, by name. */
export function shippedFiles(
  manifest: Manifest,
  { container }: ShippingOptions,
): ReadonlyMap<string, string> {
  return new Map(container === true ? containerContext(manifest) : []);
}

/**
 * Writes the image of a build into `OUTPUT/image`, which is replaced whole. Throws an `OutputError` where the base image
 * cannot be used or the folder cannot be written.
 */
export async function writeImageOf(
  { manifest, files }: { readonly manifest: Manifest; readonly files: ReadonlyMap<string, string> },
  { output, baseImage, image }: ShippingOptions & { readonly output: string; readonly baseImage: string },
): Promise<void> {
  const base = await splitTag(baseImage);
  const target = join(output, imageFolder);
  const fresh = `${target}.new`;
  try {
    await orOutputError(target, async () => {
      await rm(fresh, { recursive: true, force: true });
      await mkdir(fresh, { recursive: true });
      await writeImage(fresh, {
        base,
        files: new Map(imageFiles.map((name) => [name, files.get(name) ?? ""])),
        labels: imageLabels(manifest),
        tag: tagOf(image),
      });
      await rm(target, { recursive: true, force: true });
      await rename(fresh, target);
    });
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    if (!(error instanceof BaseImageProblem)) throw error;
    throw new OutputError(`cannot use the base image \`${baseImage}\`: ${error.message}`, { cause: error });
  }
}

/** Of `registry.example.com:5000/orders:1.2` that is `1.2`. */
function tagOf(image = ""): string {
  return /:([\w][\w.-]*)$/.exec(image.replace(/@.*$/, ""))?.[1] ?? "latest";
}

async function splitTag(path: string): Promise<{ folder: string; tag?: string }> {
  const isFolder = await stat(path)
    .then((found) => found.isDirectory())
    .catch(() => false);
  const [, folder, tag] = /^(.+):([^:/]+)$/.exec(path) ?? [];
  return isFolder || folder === undefined || tag === undefined ? { folder: path } : { folder, tag };
}
