import { planDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { type StreamDigests, streamDigests } from "../../compiler/plan/digests.ts";

/** Texts by path. */
export type Files = Readonly<Record<string, string>>;

/** The digests of the streams of `api.yaml`, or of the set of `gateway.yaml` where there is one, by `API/stream`. */
export async function digestsOf(files: Files): Promise<ReadonlyMap<string, StreamDigests>> {
  const paths = Object.hasOwn(files, "gateway.yaml") ? ["gateway.yaml"] : ["api.yaml"];
  const result = await planDocuments(paths, { fileSystem: createMemoryFileSystem(files) });
  if (result.plan === undefined) throw new Error(renderPretty(result.diagnostics, { color: false }));
  return new Map(
    result.plan.apis.flatMap((api) =>
      [...streamDigests(api)].map(([name, digests]) => [`${api.id}/${name}`, digests] as const),
    ),
  );
}
