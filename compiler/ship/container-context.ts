// Creates the files from which a container engine builds the image of a gateway.

import type { Manifest } from "../emit/manifest.ts";
import type { SettingsPlan, ValuePlan } from "../plan/plan.ts";
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

/**
 * Returns the program that sends a request to the admin listener within the container, on the port that the environment
 * or the settings name.
 */
function healthCheck({ adminListen }: SettingsPlan): string {
  const address = `process.env.GW_ADMIN_LISTEN || ${sourceOfText(adminListen)}`;
  return (
    `fetch(\`http://127.0.0.1:\${/\\d+$/.exec(${address})?.[0] ?? 8081}/healthz\`)` +
    ".then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"
  );
}

/** Returns the expression of a text that is known at build time or when the container starts; otherwise that of `""`. */
function sourceOfText(value: ValuePlan | undefined): string {
  if (value?.kind === "Literal") return JSON.stringify(String(value.value));
  if (value?.kind !== "Environment") return "''";
  const parts = value.parts.map((part) => {
    if (part.kind === "Text") return JSON.stringify(part.text);
    if (part.kind !== "Variable") return "''";
    return `(process.env[${JSON.stringify(part.name)}] ?? ${JSON.stringify(String(part.fallback ?? ""))})`;
  });
  return parts.join(" + ");
}

/** Returns `Containerfile` and `.dockerignore`, for `podman build OUT` and `docker build -f OUT/Containerfile OUT`. */
export function containerContext(manifest: Manifest, settings: SettingsPlan): ReadonlyMap<string, string> {
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
  CMD ["node", "-e", ${JSON.stringify(healthCheck(settings))}]
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
