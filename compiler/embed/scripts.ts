// The embedding API: compiles mappings, interpolations and queries and runs them in the caller's process, with
// JavaScript values. Errors in the source are thrown as a `CompileError`.

import type { Value } from "../../runtime/message/value.ts";
import type { BuiltinCatalogue } from "../builtins/catalogue.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";
import { MappingError } from "./errors.ts";
import type { MappingFiles } from "./files.ts";
import { compileMapping as compileRun, compileTemplate, compileQuery as compileValue } from "./mapping.ts";
import {
  type BatchInput,
  type MessageInput,
  type MessageResult,
  type Situation,
  situate,
  toResult,
} from "./messages.ts";
import { fromPlain, fromRecord, toPlain } from "./plain-values.ts";

/** Options for compiling a script. */
export interface MappingOptions {
  /** The functions and methods that scripts may call; by default, those of this package. */
  readonly builtins?: BuiltinCatalogue;
  /** The name of the source in diagnostics, such as `mapping.blobl`; imports are relative to it. */
  readonly file?: string;
  /**
   * The files that `import`, `from` and functions such as `file()` read. If absent, `import` and `from` are refused,
   * and the functions fail at run time.
   */
  readonly fileSystem?: MappingFiles;
  /** The variables that `env()` reads; by default, the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A compiled mapping that runs on any number of messages. */
export interface CompiledMapping {
  /**
   * Maps `message`. Returns `null` if the mapping deletes it. `batch`: the batch that contains the message, at
   * `batch.index`. Throws a `MappingError` if the mapping fails.
   */
  run(message: MessageInput, batch?: BatchInput): MessageResult | null;
}

/** A compiled text with `${! query }` parts. */
export interface CompiledInterpolation {
  /** Returns the text for `message`. Throws a `MappingError` if a query fails. */
  run(message: MessageInput, batch?: BatchInput): string;
}

/** The input of a query. */
export interface QueryInput {
  /** The value of `this`; by default, the document of the message. */
  readonly value?: unknown;
  /** The values of `$name`. */
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly message?: MessageInput;
  readonly batch?: BatchInput;
}

/** A compiled query. */
export interface CompiledQuery {
  /**
   * Returns the query's value: integers that a `number` cannot represent exactly are `bigint`, other numbers
   * `number`, bytes a `Uint8Array`, timestamps RFC 3339 text, absences `undefined`. Throws a `MappingError` if the
   * query fails.
   */
  evaluate(input?: QueryInput): unknown;
}

/** Compiles a whole mapping. Throws a `CompileError`. */
export function compileMapping(source: string, options: MappingOptions = {}): CompiledMapping {
  const compiled = compileRun(source, options);
  return {
    run(message, batch) {
      return translateFailure(() => {
        const run = createRun(situate(message, batch));
        const result = run.finish(compiled(run));
        return result === undefined ? null : toResult(result);
      });
    },
  };
}

/** Compiles a text with `${! query }` parts. Throws a `CompileError`. */
export function compileInterpolation(text: string, options: MappingOptions = {}): CompiledInterpolation {
  const compiled = compileTemplate(text, options);
  return {
    run: (message, batch) => translateFailure(() => compiled(createRun(situate(message, batch)))),
  };
}

/** Compiles a bare query. Throws a `CompileError`. */
export function compileQuery(text: string, options: MappingOptions = {}): CompiledQuery {
  const compiled = compileValue(text, { ...options, variables: anyName });
  return {
    evaluate(input = {}) {
      const vars = input.vars === undefined ? undefined : fromRecord(input.vars);
      const context = "value" in input ? { value: fromPlain(input.value) } : undefined;
      const situation = situate(input.message, input.batch);
      return translateFailure(() => toPlain(compiled(createRun(situation, context), vars)));
    },
  };
}

/** A set that contains every name: the variables of a query are only known when it is evaluated. */
class AnyName extends Set<string> {
  override has(): boolean {
    return true;
  }
}

const anyName: ReadonlySet<string> = new AnyName();

function createRun({ batch, index }: Situation, context?: { readonly value: Value }) {
  const { MappingRun } = loadRuntime("runtime/mapping/run.ts");
  return new MappingRun(batch, index, undefined, context);
}

/**
 * Calls `work` and converts an error of the runtime, which is meant for responses, to the error text of the language.
 */
export function translateFailure<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const failure = loadRuntime("runtime/mapping/failures.ts").languageFailure(error);
    throw failure === undefined ? error : new MappingError(failure.message, { cause: error });
  }
}
