// The public API of the compiler. Modules for whole documents are loaded on first use.

import type { CheckOptions, CheckResult, CompileOptions, CompileResult, PlanResult } from "./compile.ts";
import type { ManagementResult, ManagementSettings } from "./management-settings.ts";

export type {
  Diagnostic,
  Edit,
  Fix,
  Related,
  Severity,
  SuppressedDiagnostic,
} from "./diagnostics/diagnostic.ts";
export type { Counts } from "./diagnostics/levels.ts";
export type { DiagnosticItem, DiagnosticPlace } from "./diagnostics/render/json.ts";
export { CompileError, MappingError } from "./embed/errors.ts";
export type { MappingFiles } from "./embed/files.ts";
export type { BatchInput, MessageFailure, MessageInput, MessageResult } from "./embed/messages.ts";
export {
  type CompiledInterpolation,
  type CompiledMapping,
  type CompiledQuery,
  compileInterpolation,
  compileMapping,
  compileQuery,
  type MappingOptions,
  type QueryInput,
} from "./embed/scripts.ts";
export { createMemoryFileSystem, type FileSystem, nodeFileSystem } from "./parse/document/file-system.ts";
export type {
  CheckOptions,
  CheckResult,
  CompileOptions,
  CompileResult,
  ManagementResult,
  ManagementSettings,
  PlanResult,
};

/** Checks documents, or the set that a `gateway.yaml` names. */
export async function check(paths: readonly string[], options?: CheckOptions): Promise<CheckResult> {
  const { checkDocuments } = await import("./compile.ts");
  return checkDocuments(paths, options);
}

/** Checks documents and plans their gateway. */
export async function plan(paths: readonly string[], options?: CheckOptions): Promise<PlanResult> {
  const { planDocuments } = await import("./compile.ts");
  return planDocuments(paths, options);
}

/** Compiles documents into the files of a gateway. The same input always results in the same bytes. */
export async function compile(paths: readonly string[], options: CompileOptions): Promise<CompileResult> {
  const { compileDocuments } = await import("./compile.ts");
  return compileDocuments(paths, options);
}

/** Reads a `management.yaml`. */
export async function readManagement(path: string, options?: CheckOptions): Promise<ManagementResult> {
  const { readManagementSettings } = await import("./management-settings.ts");
  return readManagementSettings(path, options);
}
