import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createTar } from "../../compiler/ship/oci/image-layout.ts";
import { temporaryDirectory } from "../harness/directories.ts";

/** What a base image is like, where it differs from one of Node for one platform. */
export interface BaseOptions {
  readonly architectures?: readonly string[];
  readonly env?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly os?: string;
  readonly manifestType?: string;
  readonly tag?: string;
  readonly history?: readonly object[] | undefined;
}

/** An image layout as `skopeo copy` makes them, with a compressed layer that holds one file. */
export function baseLayout({
  architectures = ["amd64"],
  env = ["PATH=/usr/bin", "NODE_VERSION=24.1.0"],
  entrypoint = ["docker-entrypoint.sh"],
  os = "linux",
  manifestType = "application/vnd.oci.image.manifest.v1+json",
  tag = "24",
  ...other
}: BaseOptions = {}): string {
  const folder = temporaryDirectory("base-image");
  mkdirSync(join(folder, "blobs/sha256"), { recursive: true });
  const blob = (content: Buffer, mediaType: string) => {
    const digest = sha256(content);
    writeFileSync(join(folder, "blobs/sha256", digest.slice(7)), content);
    return { mediaType, digest, size: content.length };
  };
  const json = (value: object, mediaType: string) => blob(Buffer.from(JSON.stringify(value)), mediaType);
  const manifests = architectures.map((architecture) => {
    const tar = createTar([{ path: "etc/base", content: Buffer.from(architecture) }]);
    const config = json(
      {
        ...{ architecture, os, created: "2025-01-01T00:00:00Z" },
        config: { Env: env, Entrypoint: entrypoint, Cmd: ["node"], Labels: { base: "yes" } },
        rootfs: { type: "layers", diff_ids: [sha256(tar)] },
        history: "history" in other ? other.history : [{ created_by: "base" }],
      },
      "application/vnd.oci.image.config.v1+json",
    );
    const layers = [blob(gzipSync(tar), "application/vnd.oci.image.layer.v1.tar+gzip")];
    const manifest = { schemaVersion: 2, mediaType: manifestType, config, layers };
    return { ...json(manifest, manifestType), platform: { architecture, os } };
  });
  const attestation = {
    ...json({}, manifestType),
    platform: { architecture: "unknown", os: "unknown" },
  };
  const indexType = "application/vnd.oci.image.index.v1+json";
  const [only] = manifests;
  const top =
    manifests.length === 1
      ? only
      : json({ schemaVersion: 2, mediaType: indexType, manifests: [...manifests, attestation] }, indexType);
  const named = { ...top, annotations: { "org.opencontainers.image.ref.name": tag } };
  writeFileSync(join(folder, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: [named] }));
  writeFileSync(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  return folder;
}

function sha256(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}
