// The artefacts of a set other than the gateway. Only the gateway has to contain the secrets that are literal in the
// set.

import { renderPlan } from "../../../compiler/cli/commands/build.ts";
import { renderStreams } from "../../../compiler/cli/commands/types.ts";
import { compareStreams } from "../../../compiler/cli/stream-changes.ts";
import { describeStreams } from "../../../compiler/cli/stream-types/describe-streams.ts";
import { describeClients, drawStreams, planDocuments } from "../../../compiler/compile.ts";
import { emitManifest } from "../../../compiler/emit/manifest.ts";
import { createMemoryFileSystem } from "../../../compiler/parse/document/file-system.ts";
import { emitTexts } from "../../emit/emitted.ts";

/** Returns the artefacts as text, by name; `undefined` if the set has errors. */
export async function outputsOf(
  files: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>> | undefined> {
  const fileSystem = createMemoryFileSystem(files);
  const { plan, checked } = await planDocuments(["gateway.yaml"], { fileSystem });
  if (plan === undefined || checked === undefined) return undefined;
  const { gateway, types } = await emitTexts(plan);
  const apis = checked.set.apis.map(({ id }) => id);
  const described = await Promise.all(apis.map((api) => describeClients(checked, api)));
  const drawn = await Promise.all(apis.map((api) => drawStreams(checked, api)));
  return {
    plan: renderPlan(plan),
    changes: JSON.stringify(await compareStreams(undefined, files["api.yaml"])),
    streams: renderStreams(checked, describeStreams(checked), false),
    schemas: renderStreams(checked, describeStreams(checked), true),
    types,
    manifest: JSON.stringify(emitManifest(plan)),
    comments: (gateway.match(/^\s*(?:\/\/|\*|\/\*\*).*$/gm) ?? []).join("\n"),
    asyncapi: JSON.stringify(described),
    topology: JSON.stringify(drawn.map((streams) => [...streams])),
  };
}
