// Runs `sluice serve`: the management service, configured by a `management.yaml` and the environment.

import type { OutputFormat } from "../compiler/cli/diagnostics.ts";
import { formatDiagnostics, withLineBreak } from "../compiler/cli/diagnostics.ts";
import { packageRoot, version } from "../compiler/cli/package-root.ts";
import { useColor } from "../compiler/cli/terminal.ts";
import { installedRuntime } from "../compiler/embed/artifact.ts";
import {
  type DeploymentSource,
  followWithin,
  type WithinOptions,
} from "../compiler/embed/follow-deployments.ts";
import { type ManagementSettings, readManagementSettings } from "../compiler/management-settings.ts";

/** Options of `sluice serve`. */
export interface ServeCommandOptions {
  readonly format: OutputFormat;
  readonly allInOne?: boolean;
}

/** Serves until a signal ends it. Returns the exit code. */
export async function runServe(path: string | undefined, options: ServeCommandOptions): Promise<number> {
  const { runManagement } = await import("../management/main.ts");
  const root = packageRoot();
  const { digest: runtime } = await installedRuntime(root);
  const settings = path === undefined ? {} : await readSettings(path, options.format);
  if (settings === undefined) return 1;
  return runManagement({
    settings,
    path: path ?? "management.yaml",
    installation: { runtime, version: version() },
    ...(options.allInOne === true && {
      follow: (source: DeploymentSource, within: WithinOptions) => followWithin(source, root, within),
    }),
  });
}

/** Reads the settings of a file and prints its diagnostics; returns `undefined` if there are any. */
async function readSettings(path: string, format: OutputFormat): Promise<ManagementSettings | undefined> {
  const { diagnostics, settings } = await readManagementSettings(path);
  const text = await formatDiagnostics(diagnostics, format, useColor(process.stderr));
  if (diagnostics.length > 0) process.stderr.write(withLineBreak(text));
  return settings;
}
