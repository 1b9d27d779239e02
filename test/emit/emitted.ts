import { planDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { type EmittedGateway, emitGateway } from "../../compiler/emit/gateway.ts";
import { optimisePlan } from "../../compiler/optimise/index.ts";
import { createMemoryFileSystem, type FileSystem } from "../../compiler/parse/document/file-system.ts";
import type { Plan } from "../../compiler/plan/plan.ts";

/** The texts of all emitted files. */
export interface EmittedTexts extends Omit<EmittedGateway, "types"> {
  readonly types: string;
}

/** Resolves with the emitted texts of a document, which must not have an error. */
export async function emitDocument(path: string, fileSystem?: FileSystem): Promise<EmittedTexts> {
  const { plan, diagnostics } = await planDocuments([path], fileSystem === undefined ? {} : { fileSystem });
  if (plan === undefined) throw new Error(renderPretty(diagnostics, { color: false }));
  return emitTexts(plan);
}

/** Resolves with the emitted texts of a plan. */
export async function emitTexts(plan: Plan): Promise<EmittedTexts> {
  const emitted = await emitGateway(optimisePlan(plan));
  return { ...emitted, types: await emitted.types() };
}

/** The same as `emitDocument` for a document, or for a set below `gateway.yaml`, that is not a file. */
export function emitValue(
  document: object,
  path = "api.yaml",
  others: Readonly<Record<string, object>> = {},
): Promise<EmittedTexts> {
  const texts = Object.entries({ ...others, [path]: document }).map(([name, value]) => [
    name,
    JSON.stringify(value, undefined, 2),
  ]);
  return emitDocument(path, createMemoryFileSystem(Object.fromEntries(texts)));
}
