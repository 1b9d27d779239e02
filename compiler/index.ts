// The public API of the compiler.

export {
  type CheckOptions,
  type CheckResult,
  type CompileOptions,
  type CompileResult,
  checkDocuments as check,
  compileDocuments as compile,
  type PlanResult,
  planDocuments as plan,
} from "./compile.ts";
export type { Diagnostic, Related, Severity } from "./diagnostics/diagnostic.ts";
export { createMemoryFileSystem, type FileSystem, nodeFileSystem } from "./parse/document/file-system.ts";
