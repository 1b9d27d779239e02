// Writes the additional outputs of `sluice build` for shipping a gateway: container files, an image, Kubernetes
// manifests.

import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "../emit/manifest.ts";
import type { Plan } from "../plan/plan.ts";
import { containerContext, imageFiles, imageLabels } from "../ship/container-context.ts";
import { helmValues, kubernetesManifests, sometimesWritten } from "../ship/kubernetes/manifests.ts";
import { workloadOf } from "../ship/kubernetes/workload.ts";
import { BaseImageProblem } from "../ship/oci/base-image.ts";
import { writeImage } from "../ship/oci/image-layout.ts";
import { OutputError, orOutputError } from "./output-folder.ts";

/** Options of `sluice build` for shipping. */
export interface ShippingOptions {
  readonly container?: boolean;
  readonly kubernetes?: boolean;
  /** An image layout, followed by `:TAG` if it contains several images. */
  readonly baseImage?: string;
  /** The name of the image. */
  readonly image?: string;
}

/** The folder of the image layout below the output folder. */
const imageFolder = "image";

/** Returns additional files of a build, by name. */
export function shippedFiles(
  { plan, manifest }: { readonly plan: Plan; readonly manifest: Manifest },
  { container, kubernetes, image }: ShippingOptions,
): ReadonlyMap<string, string> {
  const workload = kubernetes === true ? workloadOf(plan, manifest, image) : undefined;
  const manifests = workload === undefined ? [] : [...kubernetesManifests(workload)];
  return new Map([
    ...(container === true ? containerContext(manifest, plan.settings) : []),
    ...manifests.map(([name, text]) => [`kubernetes/${name}`, text] as const),
    ...(workload === undefined ? [] : [["helm-values.yaml", helmValues(workload)] as const]),
  ]);
}

/**
 * Removes manifests of an earlier build that this build did not write: applying the folder would deploy them, too.
 * Files with other names stay. Throws an `OutputError` if a file cannot be removed.
 */
export async function removeStaleManifests(
  output: string,
  written: ReadonlyMap<string, string>,
): Promise<void> {
  const folder = join(output, "kubernetes");
  const stale = sometimesWritten.filter((name) => !written.has(`kubernetes/${name}`));
  await orOutputError(folder, () =>
    Promise.all(stale.map((name) => rm(join(folder, name), { force: true }))),
  );
}

/**
 * Writes the image of a build to `OUTPUT/image`, replacing it as a whole. Throws an `OutputError` if the base image
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

/** Returns the tag of an image name: `1.2` for `registry.example.com:5000/orders:1.2`. */
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
