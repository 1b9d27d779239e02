// `awk`: replaces messages by what an AWK program prints, or changes their documents and metadata.

import type { ComponentContext, Processor } from "../../component/component.ts";
import { MappingError, toGatewayError } from "../../errors.ts";
import { writtenPlainly } from "../../mapping/format-verbs.ts";
import { textOf } from "../../mapping/text.ts";
import type { Message } from "../../message/message.ts";
import { isArray, isObject, type Value } from "../../message/value.ts";
import { asBuffer, bytewise } from "../../text/utf8.ts";
import { asDocument, documentOf } from "../formats/converting.ts";
import { type AwkOptions, awkDefaults } from "../generated/awk-options.ts";
import { Run, spend } from "../jq/run.ts";
import { compileExpression } from "./evaluate.ts";
import { parseProgram } from "./parser.ts";
import { resolveProgram } from "./resolve.ts";
import type { CallFunction, CompiledFunction, ProgramScope } from "./scope.ts";
import { type ProgramMessage, ProgramState } from "./state.ts";
import { compileStatements, exited, nextInput, nextRecord, returned, type Step } from "./statements.ts";
import type { AwkStatement, ProgramTree } from "./syntax.ts";
import { type AwkValue, failure, isTrue, toInteger, toNumber, toText } from "./values.ts";

/** A function of the library, with the types of its parameters. */
export interface LibraryFunction {
  readonly takes: string;
  // The parameters have the types of `takes`.
  readonly call: (state: ProgramState, ...args: never[]) => AwkValue;
}

/** Options, with the functions of the library that the program calls. */
type LinkedOptions = AwkOptions & { readonly library?: Readonly<Record<string, LibraryFunction>> };

/** A compiled program. */
interface Program {
  readonly scalars: readonly string[];
  readonly arrays: readonly string[];
  readonly run: (state: ProgramState) => void;
}

/** Runs the program on each message. */
export function awk(options: LinkedOptions): Processor {
  const { codec, program: text, max_steps: mostSteps } = { ...awkDefaults, ...options };
  const program = compileProgram(text, options.library ?? {});
  return {
    process: (batch, context) => [
      batch.map((message) => {
        const changes = new Changes(message, context);
        try {
          return changes.applied(runProgram(program, changes, codec, mostSteps));
        } catch (error) {
          const failed =
            error instanceof RangeError
              ? new MappingError("awk: the program goes too deep, or its result is too large")
              : error;
          // What the program changed before it failed stays, as in the reference engine.
          return changes
            .applied(undefined)
            .withFailure(toGatewayError(failed, 500, "awk failed on the message"));
        }
      }),
    ],
  };
}

function runProgram(
  program: Program,
  changes: Changes,
  codec: AwkOptions["codec"],
  mostSteps: number,
): Buffer {
  const { message } = changes;
  const run = new Run("awk: the program", mostSteps, message.bytes().length);
  return run.within(() => {
    const input = codec === "text" ? asBuffer(message.bytes()).toString("latin1") : " ";
    const state = new ProgramState(run, changes, input, program);
    if (codec === "json") setFields(state, "", documentOf(message, ""), message.isMade);
    if (codec !== "none")
      for (const [name, value] of message.metadata) state.setNamed(identifier(name), bytewise(textOf(value)));
    program.run(state);
    if (state.exitStatus !== 0) {
      const status = `awk interpreter returned non-zero exit code: ${state.exitStatus}`;
      throw failure(`non-fatal execution error: ${status}`);
    }
    return state.output();
  });
}

/** Returns the name of the variable for a path or the name of metadata. */
function identifier(name: string): string {
  return name.replace(/[^a-zA-Z0-9_]/gu, "_");
}

/** Sets a variable for each scalar of a document, by the names on the way to it. Elements of arrays have no name. */
function setFields(state: ProgramState, path: string, value: Value, isMade: boolean): void {
  spend(1);
  if (isObject(value)) {
    const before = path === "" ? "" : `${path}_`;
    for (const [key, inner] of Object.entries(value))
      setFields(state, before + identifier(key), inner, isMade);
  } else if (isArray(value)) for (const inner of value) setFields(state, path, inner, isMade);
  else if (path !== "") state.setNamed(path, bytewise(scalarText(value, isMade)));
}

/** Numbers of a message keep their text. */
function scalarText(value: Value, isMade: boolean): string {
  return typeof value === "number" && !isMade ? String(value) : writtenPlainly(value);
}

/** What a program changes of a message. */
class Changes implements ProgramMessage {
  readonly message: Message;
  readonly log: ComponentContext["log"];
  readonly integers: Set<string> = new Set();
  readonly #metadata = new Map<string, string>();
  #document: Value | undefined;

  constructor(message: Message, { log }: ComponentContext) {
    this.message = message;
    this.log = log;
  }

  get isMade(): boolean {
    return this.message.isMade;
  }

  document(): Value {
    return this.#document ?? documentOf(this.message, "failed to parse message into json: ");
  }

  setDocument(document: Value): void {
    this.#document = document;
  }

  metadata(name: string): string | undefined {
    const value = this.message.metadata.get(name);
    return this.#metadata.get(name) ?? (value === undefined ? undefined : textOf(value));
  }

  setMetadata(name: string, value: string): void {
    this.#metadata.set(name, value);
  }

  /** Returns the message with the changes. `output` replaces its content if it is not empty. */
  applied(output: Buffer | undefined): Message {
    const { message } = this;
    const changed = this.#metadata.size === 0 ? message : message.withEntries(this.#metadata);
    if (output !== undefined && output.length > 0)
      return changed.withBytes(output.at(-1) === 0x0a ? output.subarray(0, -1) : output);
    return this.#document === undefined ? changed : asDocument(changed, this.#document);
  }
}

/** Compiles a program, which was checked when the gateway was built. */
function compileProgram(text: string, library: Readonly<Record<string, LibraryFunction>>): Program {
  const linked = new Map(Object.entries(library).map(([name, each]) => [name, toCall(each)]));
  const resolved = resolveProgram(
    parseProgram(text),
    () => undefined,
    ({ message }) => {
      throw new Error(`awk: ${message}`);
    },
  );
  const { tree } = resolved;
  const functions = new Map<string, CompiledFunction>(
    tree.functions.map(({ name, parameters }) => [
      name,
      { name, arrays: parameters.map((each) => resolved.isArray(name, each)), run: () => undefined },
    ]),
  );
  const scopeOf = (within: string): ProgramScope => ({
    program: resolved,
    within,
    functions,
    library: (name) => linked.get(name),
  });
  for (const { name, body } of tree.functions) {
    const compiled = functions.get(name);
    if (compiled !== undefined) compiled.run = asFunction(compileStatements(scopeOf(name), body));
  }
  return { scalars: resolved.scalars, arrays: resolved.arrays, run: compileRules(scopeOf(""), tree) };
}

/** Ends the statement that calls a function with `next` or `exit`. */
class Unwinding extends MappingError {
  readonly code: number;

  constructor(code: number) {
    // The failure where there is no record to end.
    super(code === nextRecord ? "next" : "nextfile");
    this.code = code;
  }
}

function asFunction(body: Step): (state: ProgramState) => AwkValue {
  return (state) => {
    const end = body(state);
    if (end === nextRecord || end === nextInput || end === exited) throw new Unwinding(end);
    if (end !== returned) return undefined;
    const value = state.returned;
    state.returned = undefined;
    return value;
  };
}

/** Returns how a step ended, also within a function. */
function endOf(step: Step, state: ProgramState): number {
  const { depth, locals, localArrays } = state;
  try {
    return step(state);
  } catch (error) {
    if (!(error instanceof Unwinding)) throw error;
    state.depth = depth;
    state.locals = locals;
    state.localArrays = localArrays;
    return error.code;
  }
}

function compileRules(
  scope: ProgramScope,
  { begin, rules, end }: ProgramTree,
): (state: ProgramState) => void {
  const blocks = (bodies: readonly (readonly AwkStatement[])[]): Step =>
    compileStatements(scope, bodies.flat());
  const [atBegin, atEnd] = [blocks(begin), blocks(end)];
  const compiled = rules.map(({ patterns, action }) => ({
    patterns: patterns.map((pattern) => compileExpression(scope, pattern)),
    action: compileStatements(scope, action === undefined ? [{ kind: "Print", items: [] }] : action),
  }));

  /** Runs all statements of BEGIN or END. Returns whether the program goes on. */
  function runBlocks(step: Step, state: ProgramState): boolean {
    const ended = endOf(step, state);
    if (ended === nextRecord || ended === nextInput) throw new Unwinding(ended);
    return ended !== exited;
  }

  function runRules(state: ProgramState): void {
    const open = compiled.map(() => false);
    const isMatch = (index: number, [first, last]: (typeof compiled)[number]["patterns"]): boolean => {
      if (first === undefined) return true;
      if (last === undefined) return isTrue(first(state));
      const isOpen = open[index] === true || isTrue(first(state));
      open[index] = isOpen && !isTrue(last(state));
      return isOpen;
    };
    for (let record = state.nextRecord(); record !== undefined; record = state.nextRecord()) {
      state.record.read(record);
      for (const [index, { patterns, action }] of compiled.entries()) {
        if (!isMatch(index, patterns)) continue;
        const ended = endOf(action, state);
        if (ended === exited) return;
        if (ended === nextInput) state.skipInput();
        if (ended !== 0) break;
      }
    }
  }

  return (state) => {
    const goesOn = runBlocks(atBegin, state);
    if (rules.length === 0 && end.length === 0) return;
    if (goesOn) runRules(state);
    runBlocks(atEnd, state);
  };
}

/** Returns a function of the library that gets arguments of its types. Absent ones are empty. */
function toCall({ takes, call }: LibraryFunction): CallFunction {
  const types = takes === "" ? [] : takes.split(" ");
  const invoke = call as (state: ProgramState, ...args: readonly unknown[]) => AwkValue;
  return (state, args) => {
    const isVariadic = types.at(-1) === "string...";
    const given = isVariadic
      ? args.map((argument) => toText(argument, state.CONVFMT))
      : types.map((type, index) => converted(state, type, args[index]));
    return invoke(state, ...given);
  };
}

function converted(state: ProgramState, type: string, value: AwkValue): unknown {
  if (type === "int") return toInteger(toNumber(value));
  if (type === "float") return toNumber(value);
  return type === "bool" ? isTrue(value) : toText(value, state.CONVFMT);
}
