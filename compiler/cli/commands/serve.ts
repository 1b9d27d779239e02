// `sluice serve`: the management service, configured by a `management.yaml` and the environment.

import { installedRuntime } from "../../embed/artifact.ts";
import { readManagementSettings } from "../../management-settings.ts";
import { formatDiagnostics, withLineBreak } from "../diagnostics.ts";
import { packageRoot } from "../package-root.ts";
import type { OutputFormat } from "../program.ts";
import { useColor } from "../terminal.ts";
import { version } from "../version.ts";

/** What `sluice serve` was told. */
export interface ServeCommandOptions {
  readonly format: OutputFormat;
}

/** Serves until a signal ends it. Gives the exit code. */
export async function runServe(path: string | undefined, { format }: ServeCommandOptions): Promise<number> {
  const { runManagement } = await import("../../../management/main.ts");
  const { digest: runtime } = await installedRuntime(packageRoot());
  const installation = { runtime, version: version() };
  if (path === undefined) return runManagement({ settings: {}, path: "management.yaml", installation });
  const { diagnostics, settings } = await readManagementSettings(path);
  const text = await formatDiagnostics(diagnostics, format, useColor(process.stderr));
  if (diagnostics.length > 0) process.stderr.write(withLineBreak(text));
  return settings === undefined ? 1 : runManagement({ settings, path, installation });
}
