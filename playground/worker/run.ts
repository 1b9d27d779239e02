// Sends messages through a mapping or the processors of a stream, step by step, and returns the messages after each
// step.

import type { CheckedSet } from "../../compiler/check/checked-set.ts";
import { checkDocuments, drawStreams } from "../../compiler/compile.ts";
import { createSink, type Sink } from "../../compiler/diagnostics/sink.ts";
import { toMessage } from "../../compiler/embed/messages.ts";
import { createProcessors, type ProcessorOptions } from "../../compiler/embed/processors.ts";
import { mappingProcessor } from "../../compiler/embed/unit-tests/check-test.ts";
import { findTarget } from "../../compiler/embed/unit-tests/target.ts";
import { readTargetDocument } from "../../compiler/embed/unit-tests/target-document.ts";
import { loadRuntime } from "../../compiler/evaluate/runtime-modules.ts";
import { type FileSystem, nodeFileSystem } from "../../compiler/parse/document/file-system.ts";
import { createSourceFile, locate } from "../../compiler/source/source.ts";
import type { StreamNode } from "../../compiler/trees/api.ts";
import { coreDialect } from "../../compiler/trees/dialect.ts";
import type { DocumentNode, MapNode } from "../../compiler/trees/document.ts";
import { findNode } from "../../compiler/trees/document.ts";
import { printTypeLines } from "../../compiler/value-types/print-lines.ts";
import { analyseMapping, isMappingName } from "../../language-server/analysis/analyse-mapping.ts";
import { absolutePath } from "../../language-server/workspace/paths.ts";
import { layOut } from "../../management/drawing/lay-out.ts";
import type { Processor } from "../../runtime/component/component.ts";
import type { Batch, Message } from "../../runtime/message/message.ts";
import type { LogFields, Logger } from "../../runtime/process/log.ts";
import type { MadeMessage, RunAnswer, RunRequest, StepOutcome } from "./protocol.ts";

type Batches = readonly Batch[];

/** A step and its processors. */
interface Step extends Omit<StepOutcome, "batches"> {
  readonly processors?: readonly Processor[];
}

/** Runs a request. */
export async function run(request: RunRequest): Promise<RunAnswer> {
  const fileSystem = withText(request);
  return isMappingName(request.path) ? runMapping(request, fileSystem) : runDocument(request, fileSystem);
}

/** Returns a file system with the text being edited. */
function withText({ path, text }: RunRequest): FileSystem {
  const bytes = new TextEncoder().encode(text);
  return {
    readFile: async (requested, limit) =>
      absolutePath(requested) === path ? bytes : nodeFileSystem.readFile(requested, limit),
    list: (folder) => nodeFileSystem.list(folder),
  };
}

async function runMapping(request: RunRequest, fileSystem: FileSystem): Promise<RunAnswer> {
  const { path, text, environment } = request;
  const sink = createSink();
  const options = { dialect: coreDialect, fileSystem, environment };
  const processors = await createProcessors([mappingProcessor(createSourceFile(path, text))], options, sink);
  const { scripts } = await analyseMapping(path, fileSystem);
  const result = scripts[0]?.result?.content;
  const type = result === undefined ? "" : printTypeLines(result).join("\n");
  const mayFail = [...new Set(scripts[0]?.failures.map(({ reason }) => reason))];
  const step: Step = { name: "mapping", type, mayFail, ...(processors && { processors }) };
  return { streams: [], ...(await finish([step], request, sink)) };
}

async function runDocument(request: RunRequest, fileSystem: FileSystem): Promise<RunAnswer> {
  const { path, environment } = request;
  let found: CheckedSet | undefined;
  const observer = {
    script() {},
    checked(set: CheckedSet) {
      found = set;
    },
  };
  const { diagnostics } = await checkDocuments([path], { fileSystem, environment, observer });
  if (found === undefined) return { streams: [], steps: [], problems: diagnostics.map(problemText) };
  const streams = found.set.apis.flatMap((api) => api.streams.map((stream) => ({ api, stream })));
  const names = streams.map(({ stream }) => stream.name);
  const chosen = streams.find(({ stream }) => stream.name === request.stream) ?? streams[0];
  if (chosen === undefined) return { streams: [], steps: [], problems: ["The document has no stream."] };
  const { api, stream } = chosen;
  const topology = (await drawStreams(found, api.id)).get(stream.name);
  const sink = createSink();
  const options = { dialect: found.set.dialect, fileSystem, environment };
  const made = await createSteps(stream, found, { path, options, sink });
  return {
    streams: names,
    stream: stream.name,
    ...(topology && { drawing: layOut(stream.name, topology) }),
    ...(await finish(made, request, sink)),
  };
}

/** Creates the steps of a stream: its input, each of its processors, and its output. */
async function createSteps(
  stream: StreamNode,
  checked: CheckedSet,
  around: { readonly path: string; readonly options: ProcessorOptions; readonly sink: Sink },
): Promise<readonly Step[]> {
  const failures = Map.groupBy(checked.failures(stream), ({ component }) => component);
  const named = new Map(checked.namedSteps(stream).map((step) => [step.component, step]));
  const processors = await createEach(stream, around);
  const components = [
    ...(stream.input === undefined ? [] : [stream.input]),
    ...stream.processors,
    ...(stream.output === undefined ? [] : [stream.output]),
  ];
  return components.map((component): Step => {
    const { start } = locate(component.nameSpan);
    const step = named.get(component);
    const isProcessor = stream.processors.includes(component);
    const made = isProcessor ? processors[stream.processors.indexOf(component)] : { processors: [] };
    const before = component === stream.output ? named.get(stream.processors.at(-1) ?? component) : step;
    const content = (before ?? step)?.message.content;
    return {
      name: step?.name ?? component.name,
      line: start.line,
      column: start.column,
      type: content === undefined ? "" : printTypeLines(content).join("\n"),
      mayFail: [...new Set(failures.get(component)?.map(({ reason }) => reason))],
      ...made,
    };
  });
}

/** Creates each processor of a stream, like unit tests do. Skips those that need features that browsers lack. */
async function createEach(
  stream: StreamNode,
  { path, options, sink }: { readonly path: string; readonly options: ProcessorOptions; readonly sink: Sink },
): Promise<readonly Pick<Step, "processors" | "skipped">[]> {
  if (stream.processors.length === 0) return [];
  const reading = { ...options, resources: [] };
  const root = await readTargetDocument(path, reading, sink.report);
  const pointer = root && pointerOf(root, stream.name);
  if (root === undefined || pointer === undefined || sink.hasErrors()) return [];
  const { nodes, places, around } = findTarget(root, pointer, []);
  const together = await attempt(nodes, { ...options, places }, sink, around);
  if (typeof together !== "string") return (together ?? []).map((each) => ({ processors: [each] }));
  const apart: Pick<Step, "processors" | "skipped">[] = [];
  for (const [at, node] of nodes.entries()) {
    const made = await attempt([node], { ...options, places: [places[at] ?? ""] }, sink, around);
    apart.push(
      typeof made === "string" ? { processors: [], skipped: made } : { ...(made && { processors: made }) },
    );
  }
  return apart;
}

/** Returns the processors, or a sentence that explains why they cannot run here. */
async function attempt(
  nodes: readonly DocumentNode[],
  options: ProcessorOptions,
  sink: Sink,
  around: MapNode,
): Promise<readonly Processor[] | string | undefined> {
  try {
    return await createProcessors(nodes, options, sink, around);
  } catch (error) {
    if (isAbsent(error)) return "It opens connections, which a page cannot: messages pass it unchanged.";
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "NOT_IN_BROWSERS";
}

/** Returns the pointer to the processors of a stream in its document. */
function pointerOf(root: DocumentNode, stream: string): string | undefined {
  const below = ["pipeline", "processors"];
  const paths = [
    ["x-gw-streaming", "streams", stream, ...below],
    ["x-tyk-streaming", "streams", stream, ...below],
    below,
  ];
  const path = paths.find((each) => findNode(root, ...each) !== undefined);
  return path && `/${path.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;
}

/** Sends the messages through the steps. Errors in the environment or the document become problems. */
async function finish(
  steps: readonly Step[],
  { messages, isBatch }: RunRequest,
  sink: Sink,
): Promise<Pick<RunAnswer, "steps" | "problems">> {
  const described = steps.map(({ processors: _, ...step }) => step);
  const problems = sink.diagnostics().filter(({ severity }) => severity === "error");
  if (problems.length > 0) return { steps: described, problems: problems.map(problemText) };
  const { runProcessors, closeProcessors } = loadRuntime("runtime/component/pipeline.ts");
  const { EnvironmentError } = loadRuntime("runtime/process/environment.ts");
  const logged: string[] = [];
  const context = { log: loggerInto(logged), signal: new AbortController().signal };
  const inputs = messages.map((message) => toMessage(message));
  let batches: Batches = isBatch ? (inputs.length === 0 ? [] : [inputs]) : inputs.map((each) => [each]);
  const outcomes: StepOutcome[] = [];
  try {
    for (const { processors, ...step } of steps) {
      if (processors === undefined) return { steps: described, problems: [] };
      const left: Batch[] = [];
      for (const batch of batches) left.push(...(await runProcessors(processors, [batch], context)));
      batches = left;
      const lines = logged.splice(0);
      outcomes.push({
        ...step,
        ...(lines.length > 0 && { logged: lines }),
        batches: batches.map((batch) => batch.map(describeMessage)),
      });
    }
    return { steps: outcomes, problems: [] };
  } catch (error) {
    if (error instanceof EnvironmentError) return { steps: described, problems: error.problems };
    const reason = error instanceof Error ? error.message : String(error);
    return { steps: outcomes, problems: [`The run ended: ${reason}.`] };
  } finally {
    await closeProcessors(steps.flatMap(({ processors = [] }) => processors));
  }
}

/** Returns a logger that adds lines with the level, the message, and its fields. */
function loggerInto(lines: string[], always: LogFields = {}): Logger {
  const at = (level: string) => (message: string, fields?: LogFields) => {
    const given = JSON.stringify({ ...always, ...fields });
    lines.push(`${level} ${message}${given === "{}" ? "" : ` ${given}`}`);
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (fields) => loggerInto(lines, { ...always, ...fields }),
  };
}

function problemText({
  message,
  hint,
  span,
}: {
  message: string;
  hint?: string;
  span: Parameters<typeof locate>[0];
}) {
  return `Line ${locate(span).start.line}: ${message}${hint === undefined ? "" : ` ${hint}`}`;
}

/** Describes a message completely; content that is not text is shown as hexadecimal digits. */
function describeMessage(message: Message): MadeMessage {
  const bytes = message.bytes();
  const isText = Buffer.from(Buffer.from(bytes).toString("utf8")).equals(Buffer.from(bytes));
  const text = Buffer.from(bytes).toString(isText ? "utf8" : "hex");
  const { failure } = message;
  const line = failure === undefined ? undefined : /\(line (\d+)\)/.exec(failure.message)?.[1];
  const { textOf } = loadRuntime("runtime/mapping/text.ts");
  return {
    content: text,
    isText,
    metadata: Object.fromEntries([...message.metadata].map(([key, value]) => [key, textOf(value)])),
    ...(failure && { failure: { message: failure.message, ...(line && { line: Number(line) }) } }),
  };
}
