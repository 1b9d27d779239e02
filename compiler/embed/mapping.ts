// Compiles single mappings, queries and templates to functions of this process. The embedding API,
// `sluice blobl` and tests are based on it.

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
import { evaluator } from "../evaluate/evaluate-method.ts";
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
  /** The functions and methods that scripts may call; by default, those of this package. */
  readonly builtins?: BuiltinCatalogue;
  /** The name of the source in diagnostics; imports are relative to it. */
  readonly file?: string;
  /** The files that `import`, `from` and file functions read. If absent, `import` and `from` are refused. */
  readonly fileSystem?: MappingFiles;
  /** The variables that `env()` reads; by default, the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Names of variables that are supplied at each run. */
  readonly variables?: ReadonlySet<string>;
}

/** A compiled mapping. Returns the root it built, or `nothing` if the root was never assigned. */
export type RunMapping = (run: MappingRun) => Value;

/** A compiled query. */
export type RunQuery = (run: MappingRun, variables?: MappingVariables) => Value;

/** A compiled template. */
export type RunTemplate = (run: MappingRun) => string;

/** Compiles a whole mapping. An `isolated` mapping may only read `this`. Throws a `CompileError`. */
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

/** Compiles a bare query. Throws a `CompileError`. */
export function compileQuery(source: string, options: ScriptOptions = {}): RunQuery {
  const compilation = start(source, options);
  const query = parseQuery(compilation.text, compilation.report);
  if (query === undefined) throw compilation.failure();
  const checked = checkQuery(query, compilation.scope, compilation.report);
  compilation.stopOnErrors();
  const code = emitQuery(planQuery(checked), "compiledQuery", { entry: "run" });
  return load<RunQuery>(code, "compiledQuery", options);
}

/** Compiles a string with `${! query }` parts. Throws a `CompileError`. */
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
  // The emitter wrote a function of exactly this type.
  return evaluateCode(code, name, hostFunctions({ ...options, compile: compileNested })) as F;
}

/** Compiles a mapping from a text at run time. It can only read the value it is applied to. */
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

/**
 * Returns why a mapping in a text does not compile, as the reference engine reports it at the call: with the next
 * characters of the text instead of the position in it.
 */
function findNestedFault(source: string): string | undefined {
  try {
    compileMapping(source, { isolated: true });
    return undefined;
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    const [whole, line = "1", character = "1"] = /^line (\d+) char (\d+): /.exec(error.message) ?? [""];
    const rest = [...(source.split("\n")[Number(line) - 1] ?? "")].slice(Number(character) - 1);
    const fault = error.message.slice(whole.length);
    const next = [...rest, ...source.split("\n").slice(Number(line)).join("\n")].slice(0, 5).join("");
    if (!fault.startsWith("expected ")) return next === "" ? fault : `${fault}: ${next}`;
    return next === "" ? `${fault}, but reached end of input` : `${fault}, got: ${next}`;
  }
}

/** Reports calls of functions that access more than the value a mapping is applied to. */
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
      evaluate: evaluator,
      findNestedFault,
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

/** Collects the reference engine's text for each problem, which diagnostics do not contain. */
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

/**
 * Returns the first error by position: the reference engine stops there, whether it is a syntax error or an unknown
 * name.
 */
function earliest(references: readonly string[]): string | undefined {
  const place = (reference: string): number => {
    const [, line = "0", character = "0"] = /^(?:line (\d+) )?char (\d+): /.exec(reference) ?? [];
    return Number(line) * 1e9 + Number(character);
  };
  return references.toSorted((first, second) => place(first) - place(second))[0];
}
