// The embedding API: mappings, interpolations and queries compiled and run in the caller's process, in the
// caller's terms. Source text in, an object to run out; mistakes in the source are a `CompileError`.

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

/** What a script may know of its surroundings. */
export interface MappingOptions {
  /** The functions and methods that may be called; those of this package without it. */
  readonly builtins?: BuiltinCatalogue;
  /** What the source is called in diagnostics, and what its imports are relative to: `mapping.blobl`. */
  readonly file?: string;
  /**
   * Where `import`, `from` and functions such as `file()` read. Without it the former are refused, and the
   * functions fail when they run.
   */
  readonly fileSystem?: MappingFiles;
  /** What `env()` reads; the environment of this process without it. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A mapping, ready to run on any number of messages. */
export interface CompiledMapping {
  /**
   * Maps `message`; `null` when the mapping deletes it. `batch` is what it is part of: the message stands at
   * `batch.index`. Throws `MappingError` when the mapping fails.
   */
  run(message: MessageInput, batch?: BatchInput): MessageResult | null;
}

/** A text with `${! query }` parts, ready to be filled in. */
export interface CompiledInterpolation {
  /** The text for `message`. Throws `MappingError` when a query fails. */
  run(message: MessageInput, batch?: BatchInput): string;
}

/** What a query is evaluated on. */
export interface QueryInput {
  /** `this`; without it, the document of the message. */
  readonly value?: unknown;
  /** What `$name` gives. */
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly message?: MessageInput;
  readonly batch?: BatchInput;
}

/** A query, ready to be evaluated. */
export interface CompiledQuery {
  /**
   * The query's value: integers beyond the safe ones are `bigint`, other numbers `number`, bytes a
   * `Uint8Array`, timestamps RFC 3339 text, `undefined` an absence. Throws `MappingError` when it fails.
   */
  evaluate(input?: QueryInput): unknown;
}

/** Compiles a whole mapping. Throws `CompileError`. */
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

/** Compiles a text with `${! query }` parts. Throws `CompileError`. */
export function compileInterpolation(text: string, options: MappingOptions = {}): CompiledInterpolation {
  const compiled = compileTemplate(text, options);
  return {
    run: (message, batch) => translateFailure(() => compiled(createRun(situate(message, batch)))),
  };
}

/** Compiles a bare query. Throws `CompileError`. */
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

/** Which variables there are is only known when a query is evaluated. */
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

/** The runtime's error says how a gateway answers it; callers get what the language says. */
export function translateFailure<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const failure = loadRuntime("runtime/mapping/failures.ts").languageFailure(error);
    throw failure === undefined ? error : new MappingError(failure.message, { cause: error });
  }
}
