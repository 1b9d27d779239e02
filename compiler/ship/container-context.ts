// Creates the files from which a container engine builds the image of a gateway.

import type { Manifest } from "../emit/manifest.ts";
import { workloadName } from "./workload-name.ts";

/** The folder of the gateway in its image, below the root. */
export const containerFolder = "gateway";

/** A user without rights in any base image; numeric, because Kubernetes must know that it is not root. */
export const containerUser = "65532:65532";

/** The files of a build that an image contains. */
export const imageFiles = ["gateway.mjs", "gateway.mjs.map", "manifest.json"] as const;

/** The oldest release of Node that runs gateways. */
export const oldestNode = "22.15";

/** Whether gateways run on a version of Node, such as `24.7.0`. */
export function runsGateways(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split(".").map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** The base image in `Containerfile`; a build argument replaces it. */
const defaultBase = "docker.io/library/node:24-slim";

/** Sends a request to the admin listener within the container, on any port. */
const healthCheck =
  "fetch(`http://127.0.0.1:${/\\d+$/.exec(process.env.GW_ADMIN_LISTEN ?? '')?.[0] ?? 8081}/healthz`)" +
  ".then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))";

/** Returns `Containerfile` and `.dockerignore`, for `podman build OUT` and `docker build -f OUT/Containerfile OUT`. */
export function containerContext(manifest: Manifest): ReadonlyMap<string, string> {
  const labels = Object.entries(imageLabels(manifest))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(" \\\n      ");
  return new Map([
    [
      "Containerfile",
      `# Written by \`sluice build --container\`. Another base image needs Node ${oldestNode} or newer on its PATH.
ARG BASE=${defaultBase}
FROM \${BASE}
LABEL ${labels}
WORKDIR /${containerFolder}
COPY --chmod=0444 ${imageFiles.join(" ")} ./
# The gateway writes nothing: run it with a root file system that is read-only, and a /tmp in memory.
USER ${containerUser}
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \\
  CMD ["node", "-e", ${JSON.stringify(healthCheck)}]
ENTRYPOINT ["node"]
CMD ["--enable-source-maps", "/${containerFolder}/gateway.mjs"]
`,
    ],
    [".dockerignore", `*\n${imageFiles.map((name) => `!${name}\n`).join("")}`],
  ]);
}

/** Returns annotations of the OCI image specification for the contents of the image. */
export function imageLabels(manifest: Manifest): Readonly<Record<string, string>> {
  return {
    "org.opencontainers.image.title": workloadName(manifest),
    "org.opencontainers.image.description": `Streaming gateway for ${manifest.apis.map(({ id }) => labelText(id)).join(", ")}`,
  };
}

/** Returns a text without characters that readers of labels or of a Containerfile could misinterpret. */
function labelText(id: string): string {
  return id.replace(/[^\w.-]/g, "_").slice(0, 100);
}
