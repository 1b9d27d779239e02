// Compiles single mappings, queries and templates and makes them functions of this process: the base of
// the embedding API, of `sluice blobl` and of tests. Source text in, something to run out.

import type { NestedMapping } from "../../runtime/mapping/nested.ts";
import type { MappingRun } from "../../runtime/mapping/run.ts";
import type { MappingVariables } from "../../runtime/mapping/variables.ts";
import type { Value } from "../../runtime/message/value.ts";
import { type BuiltinCatalogue, coreBuiltins } from "../builtins/catalogue.ts";
import { checkMapping, checkQuery, checkTemplate } from "../check/mapping/check.ts";
import type { MappingScope } from "../check/mapping/checked.ts";
import { referenceAfter } from "../check/mapping/reference.ts";
import { createSink, type Report, type Sink } from "../diagnostics/sink.ts";
import type { Code } from "../emit/code.ts";
import { emitMapping, emitQuery, emitTemplate } from "../emit/mapping/mapping.ts";
import { evaluateCode } from "../evaluate/evaluate-code.ts";
import { evaluateMethod } from "../evaluate/evaluate-method.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";
import { parseMapping, parseQuery, parseTemplate } from "../parse/mapping/parser.ts";
import type { MappingMode } from "../plan/mapping/ir.ts";
import { planMapping, planQuery, planTemplate } from "../plan/mapping/plan-mapping.ts";
import { createSourceFile } from "../source/source.ts";
import type { Mapping } from "../trees/mapping.ts";
import { walk } from "../trees/walk.ts";
import { CompileError } from "./errors.ts";
import { createLoader, type MappingFiles } from "./files.ts";
import { hostFunctions, hostReaching } from "./host-functions.ts";

export interface ScriptOptions {
  /** The functions and methods that scripts may call; those of this package without it. */
  readonly builtins?: BuiltinCatalogue;
  /** What the source is called in diagnostics, and what its imports are relative to. */
  readonly file?: string;
  /** Where `import`, `from` and the functions for files read; without it the former are refused. */
  readonly fileSystem?: MappingFiles;
  /** What `env()` reads; the environment of this process without it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Variables that are given at each run. */
  readonly variables?: ReadonlySet<string>;
}

/** A compiled mapping: the root it built, `nothing` where it was never assigned. */
export type RunMapping = (run: MappingRun) => Value;

/** A compiled query. */
export type RunQuery = (run: MappingRun, variables?: MappingVariables) => Value;

/** A compiled template. */
export type RunTemplate = (run: MappingRun) => string;

/** Compiles a whole mapping; one that is `isolated` may not look beyond `this`. Throws `CompileError`. */
export function compileMapping(
  source: string,
  options: ScriptOptions & { readonly mode?: MappingMode; readonly isolated?: boolean } = {},
): RunMapping {
  const compilation = start(source, options);
  const mapping = parseMapping(compilation.text, compilation.report);
  if (mapping === undefined) throw compilation.failure();
  if (options.isolated === true) refuseReaching(mapping, compilation);
  const checked = checkMapping(mapping, compilation.scope, compilation.report);
  compilation.stopOnErrors();
  const code = emitMapping(planMapping(checked, options.mode), "compiledMapping", { entry: "run" });
  return load<RunMapping>(code, "compiledMapping", options);
}

/** Compiles a bare query. Throws `CompileError`. */
export function compileQuery(source: string, options: ScriptOptions = {}): RunQuery {
  const compilation = start(source, options);
  const query = parseQuery(compilation.text, compilation.report);
  if (query === undefined) throw compilation.failure();
  const checked = checkQuery(query, compilation.scope, compilation.report);
  compilation.stopOnErrors();
  const code = emitQuery(planQuery(checked), "compiledQuery", { entry: "run" });
  return load<RunQuery>(code, "compiledQuery", options);
}

/** Compiles a string with `${! query }` parts. Throws `CompileError`. */
export function compileTemplate(source: string, options: ScriptOptions = {}): RunTemplate {
  const compilation = start(source, options);
  const template = parseTemplate(compilation.text, compilation.report);
  if (template === undefined) throw compilation.failure();
  const checked = checkTemplate(template, compilation.scope, compilation.report);
  compilation.stopOnErrors();
  const code = emitTemplate(planTemplate(checked), "compiledText", { entry: "run" });
  return load<RunTemplate>(code, "compiledText", options);
}

function load<F>(code: Code, name: string, options: ScriptOptions): F {
  // The emitter was asked for a function of exactly this shape.
  return evaluateCode(code, name, hostFunctions({ ...options, compile: compileNested })) as F;
}

/** A mapping that stands in a text while another runs: it reaches nothing but the value it is given. */
export function compileNested(source: string): NestedMapping {
  const { MappingError } = loadRuntime("runtime/errors.ts");
  const { MappingRun } = loadRuntime("runtime/mapping/run.ts");
  try {
    const run = compileMapping(source, { isolated: true });
    return (target) => run(new MappingRun([], 0, undefined, { value: target }));
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    throw new MappingError(error.message);
  }
}

/** Reports calls of functions that reach beyond the value a mapping is given. */
function refuseReaching(mapping: Mapping, { scope, report }: Pick<Compilation, "scope" | "report">): void {
  const { builtins = coreBuiltins } = scope;
  walk(mapping, {
    FunctionCall(call) {
      const name = call.name.text;
      const builtin = builtins.findFunction(name);
      if (builtin?.needs !== "run" && builtin?.capability === undefined) return;
      report("GW3003", call.name.span, {
        name,
        reference: referenceAfter(call.span, `unrecognised function '${name}'`),
      });
    },
  });
}

interface Compilation {
  readonly text: ReturnType<typeof createSourceFile>;
  readonly scope: MappingScope;
  readonly report: Report;
  failure(): CompileError;
  stopOnErrors(): void;
}

function start(source: string, { builtins, file, fileSystem, variables }: ScriptOptions): Compilation {
  const sink = createSink();
  const references: string[] = [];
  const failure = () => createError(sink, references);
  return {
    text: createSourceFile(file ?? "mapping.blobl", source),
    scope: {
      ...(builtins === undefined ? {} : { builtins }),
      allowed: hostReaching,
      evaluate: evaluateMethod,
      ...(fileSystem === undefined ? {} : { load: createLoader(fileSystem, sink.report) }),
      ...(variables === undefined ? {} : { variables }),
    },
    report: noteReferences(sink.report, references),
    failure,
    stopOnErrors() {
      if (sink.hasErrors()) throw failure();
    },
  };
}

/** Keeps the reference engine's text of each problem beside the diagnostic, which has none. */
function noteReferences(report: Report, references: string[]): Report {
  return (code, span, details, related) => {
    if (typeof details === "object" && details !== null && "reference" in details) {
      references.push(String(details.reference));
    }
    report(code, span, details, related);
  };
}

function createError(sink: Sink, references: readonly string[]): CompileError {
  const diagnostics = sink.diagnostics();
  return new CompileError(earliest(references) ?? diagnostics[0]?.message ?? "", diagnostics);
}

/** The reference stops at the first mistake, be it one of syntax or of names. */
function earliest(references: readonly string[]): string | undefined {
  const place = (reference: string): number => {
    const [, line = "0", character = "0"] = /^(?:line (\d+) )?char (\d+): /.exec(reference) ?? [];
    return Number(line) * 1e9 + Number(character);
  };
  return references.toSorted((first, second) => place(first) - place(second))[0];
}
