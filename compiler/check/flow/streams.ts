// Infers the messages at every step of a stream, from the input through the pipeline to the output, and the
// destinations of messages that something fails on.

import type { Report } from "../../diagnostics/sink.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import type { ApiModel } from "../../model/api.ts";
import { componentsWithin, writtenPipeline } from "../../model/components.ts";
import type { DeclaredErrorHandling } from "../../model/error-handling.ts";
import { contentOf, responsesOf } from "../../model/operation-parts.ts";
import type { DeclaredPath } from "../../model/operations.ts";
import { optionsNamed, repliesOf } from "../../model/options.ts";
import type { ComponentNode, FieldNode, StreamNode } from "../../trees/api.ts";
import type { DocumentNode } from "../../trees/document.ts";
import { innerFields, nestedComponents } from "../../trees/fields.ts";
import { anyMessage, type MessageType, string, type Type, unknown } from "../../value-types/type.ts";
import { canonicalName } from "../document/credentials.ts";
import type { Inspections } from "../document/inspections.ts";
import type { DeclaredTypes } from "../inference/declared-types.ts";
import type { FlowContext, FlowStep, ScriptTypes } from "./context.ts";
import { asDeclared } from "./declared-messages.ts";
import { type DeclaredSchemas, findContentSchema } from "./declared-schemas.ts";
import { createFailureLog } from "./failures/failure-log.ts";
import type { Destination, FailureFlow } from "./failures/stream-failure.ts";
import { messageOfInput, routesOf } from "./input-message.ts";
import { joinMessages, withMetadata } from "./message.ts";
import { passOutput, sendsBack } from "./outputs.ts";
import { type Flagged, joinPassings, messageAt, type Passing } from "./passing.ts";
import { passProcessors } from "./processors.ts";
import { passMapping, passScripts, passTemplates } from "./scripts.ts";

/** One segment of a path: its text, or any text for a parameter. */
type Segment = string | { readonly kind: "Anything" };

const requestOptions = optionsNamed(["url", "verb"]);

/** Returns the schema of the JSON response to a successful request of `component`; `undefined` if it is not known. */
function findReplySchema(component: ComponentNode, api: ApiModel): DocumentNode | undefined {
  const options = requestOptions(component);
  const url = options?.url.value;
  const verb = options?.verb.text;
  if (url === undefined || verb === undefined) return undefined;
  const called = findCalledPath(segmentsOf(textOf(url)), api)
    ?.operations()
    .get(verb.toUpperCase());
  const replies = responsesOf(called?.node, api.references).filter(({ key }) => /^2(\d\d|XX)$/.test(key));
  const [reply] = replies;
  // With several successful responses, it is not known which one is sent.
  if (reply === undefined || replies.length > 1) return undefined;
  return findContentSchema(contentOf(reply.value, api.references), /[/+]json\b/, "schema");
}

/** Returns an address as text, with each query replaced by one character that no address contains. */
function textOf(field: FieldNode): string | undefined {
  if (field.kind === "Literal") return typeof field.value === "string" ? field.value : undefined;
  if (field.kind !== "Template") return undefined;
  return field.parts.map((part) => (part.kind === "Text" ? part.text : hole)).join("");
}

const hole = "\u0000";

function segmentsOf(address: string | undefined): readonly Segment[] {
  const [path = ""] = address?.split(/[?#]/, 1) ?? [];
  return path
    .replace(/\/+$/, "")
    .split("/")
    .map((text) => (text.includes(hole) ? { kind: "Anything" } : text));
}

function findCalledPath(address: readonly Segment[], api: ApiModel): DeclaredPath | undefined {
  for (const { url: base } of api.servers) {
    // A relative address belongs to the gateway itself, which streams do not call.
    if (base === undefined || !/^https?:\/\//.test(base) || base.includes("{")) continue;
    const exact = api.paths.find(({ path }) => matches(address, segmentsOf(base.replace(/\/+$/, "") + path)));
    const found = exact ?? api.paths.find(({ path }) => matches(address, templateOf(base, path)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the segments of a path of the document, with any text for `{id}`. */
function templateOf(base: string, path: string): readonly Segment[] {
  return segmentsOf(base.replace(/\/+$/, "") + path.replaceAll(/\{[^/{}]*\}/g, hole));
}

function matches(address: readonly Segment[], pattern: readonly Segment[]): boolean {
  return (
    address.length === pattern.length &&
    address.every((segment, index) => {
      const wanted = pattern[index];
      // A query may return any text, so it does not certainly match a fixed segment of the pattern.
      return typeof wanted !== "string" || segment === wanted;
    })
  );
}

/** A stream and the declarations about its messages. */
export interface FlowSource {
  readonly stream: StreamNode;
  readonly api: ApiModel;
  readonly schemas: DeclaredSchemas;
  readonly declared: DeclaredTypes;
  readonly handling: DeclaredErrorHandling;
  readonly inspections: Inspections;
  /** The content of the messages that other streams write to the channels of an input. */
  readonly read?: ReadonlyMap<ComponentNode, Type>;
}

/** The known facts about the messages of a stream. */
export interface StreamTypes {
  /** The message type after the input and after each processor, in the order that messages pass them. */
  readonly steps: readonly FlowStep[];
  /** The possible failures and the destination of the message, in the order that messages pass. */
  readonly failures: readonly FailureFlow[];
  /** The content of the messages that each output writes to a channel. */
  readonly written: ReadonlyMap<ComponentNode, Type>;
}

/** Follows messages through a stream and reports mistakes on the way. */
export function inferStream(source: FlowSource, scripts: ScriptTypes, report: Report): StreamTypes {
  const { stream, handling } = source;
  const { input, processors, output } = stream;
  if (input === undefined) return { steps: [], failures: [], written: new Map() };
  const context = createContext(source, scripts, report);
  const taken = passInput(input, context);
  context.steps.push({ component: input, message: messageAt(taken) });
  const result = passProcessors(processors, taken, context, input);
  // The result of processors that could not be read is unknown, and that mistake is already reported.
  if (output !== undefined && !isPipelineUnread(stream))
    deliver(output, { result, made: processors }, handling, context);
  for (const each of componentsWithin(input)) passReplyTexts(each, context);
  const failures = context.failures.flows();
  reportFailures(failures, handling, report);
  return { steps: context.steps, failures, written: context.written };
}

/** Whether the processors are not read: they are under a misspelt key, or are not a list. */
function isPipelineUnread({ node }: StreamNode): boolean {
  const { pipeline, processors } = writtenPipeline(node);
  if (pipeline === undefined) return node.entries.some(({ key }) => suggest(key, ["pipeline"]) !== undefined);
  if (pipeline.kind !== "map") return true;
  const isMisspelt = pipeline.entries.some(({ key }) => key !== "threads" && key !== "processors");
  return processors === undefined ? isMisspelt : processors.kind !== "list";
}

function createContext(
  { api, schemas, declared, inspections, read }: FlowSource,
  scripts: ScriptTypes,
  report: Report,
): FlowContext {
  const typeOf = (schema: DocumentNode | undefined) => schema && declared.typeOf(schema);
  return {
    scripts,
    report,
    steps: [],
    failures: createFailureLog(),
    replies: [],
    written: new Map(),
    isTrial: false,
    declaredOf: (component) => typeOf(schemas.get(component)) ?? read?.get(component),
    replyType: (component) => typeOf(component.schema ?? findReplySchema(component, api)) ?? unknown,
    producedType: inspections.produced,
    parametersOf: (input) => declaredParameters(input, api),
  };
}

/** Returns the parameters that the operations at an input's endpoints declare, with the names they have as metadata. */
function declaredParameters(input: ComponentNode, api: ApiModel): readonly string[] {
  const paths = routesOf(input);
  if (paths.length === 0) return [];
  const served = api.paths.filter(({ path }) => paths.includes(path));
  const holders = served.flatMap((path) => [path, ...path.operations().values()]);
  return holders.flatMap((holder) =>
    holder.parameters().flatMap((parameter) => {
      if (parameter.name === undefined || parameter.in === "path") return [];
      return parameter.in === "header" ? canonicalName(parameter.name) : parameter.name;
    }),
  );
}

/** Follows messages to the output; rejected messages return to the input or become dead letters. */
function deliver(
  output: ComponentNode,
  { result, made }: { readonly result: Passing; readonly made: readonly ComponentNode[] },
  { strategy, deadLetter }: DeclaredErrorHandling,
  context: FlowContext,
): void {
  const refused = passOutput(output, result, {
    gate: strategy === "none" ? "open" : "closed",
    made,
    context,
  });
  const isDead = strategy === "dead_letter";
  const isHeld = isDead && !sendsBack(output);
  // A text of an output that cannot be computed is a failure of writing, which causes no dead letters.
  for (const failure of refused?.failures ?? []) {
    const isLetter = isHeld && failure.component.role === "processor";
    context.failures.reach(
      [failure],
      isLetter ? { kind: "deadLetter", output: deadLetter } : { kind: "input" },
    );
  }
  if (!isDead || deadLetter === undefined) return;
  const unwritten = passOutput(deadLetter, deadLetters(refused), { gate: "open", made: [], context });
  context.failures.reach(unwritten?.failures ?? [], { kind: "input" });
}

/** Returns the dead letters: they have no flag, and their metadata contains the reason of the failure. */
function deadLetters(refused: Flagged | undefined): Passing {
  const message: MessageType = withMetadata(refused?.message ?? anyMessage, [
    ["dead_letter_reason", string],
    ["dead_letter_stream", string],
  ]);
  return { well: message, flagged: { message, failures: [] } };
}

/** Reports messages that are delivered half processed, and dead letters that are never sent. */
function reportFailures(
  flows: readonly FailureFlow[],
  handling: DeclaredErrorHandling,
  report: Report,
): void {
  reportHalfProcessed(flows, handling, report);
  const { strategy, deadLetter, givesUp, isOwn } = handling;
  const isUsed = flows.some(({ reaches }) => reaches.some(({ kind }) => kind === "deadLetter"));
  if (strategy === "dead_letter" && isOwn && deadLetter !== undefined && !givesUp && !isUsed) {
    report("GW3206", deadLetter.nameSpan, {});
  }
}

/**
 * Reports once for each component: an author who guards its first expression will look at the others too. If a mapping
 * reads failures, the author knows that failed messages are delivered, and can mark them.
 */
function reportHalfProcessed(
  flows: readonly FailureFlow[],
  { span: declared }: DeclaredErrorHandling,
  report: Report,
): void {
  const reported = new Set<FailureFlow["component"]>();
  for (const { component, span, reason, reaches, isRead } of flows) {
    if (isRead) continue;
    const outputs = reaches.flatMap(deliveredTo);
    if (outputs.length === 0 || reported.has(component)) continue;
    reported.add(component);
    const related = declared && { span: declared, message: "This output still receives the message." };
    report("GW3202", span, { reason, outputs }, related);
  }
}

function deliveredTo(destination: Destination): readonly string[] {
  return destination.kind === "output" && !destination.isMeant ? [destination.output.name] : [];
}

const sourceOptions = optionsNamed([], ["batching", "extract_tracing_map", "args_mapping", "mapping"]);

/** Returns the type of an input's messages; `around` is the type that its parent inputs declare for them. */
function passInput(input: ComponentNode, context: FlowContext, around?: Type): Passing {
  const nested = nestedComponents(input.config);
  const inner = nested.filter(({ role }) => role === "input");
  const content = context.declaredOf(input) ?? around;
  const given =
    inner.length > 0
      ? joinPassings(inner.map((each) => passInput(each, context, hasSteps(each) ? undefined : content)))
      : passSource(input, content, context);
  const taken = asDeclared({ component: input, made: inner, context }, given);
  // Queries that end a batch or the reading come first, then the processors of collected batches.
  const scripts = inner.length > 0 ? input.config : sourceOptions(input)?.batching?.value;
  if (scripts !== undefined) passScripts(scripts, { component: input, at: taken, context });
  const tracing = sourceOptions(input)?.extract_tracing_map?.mapping;
  // Its failures are logged, and the message continues.
  if (tracing !== undefined) passMapping(tracing, { component: input, at: taken, context });
  const steps = nested.filter(({ role }) => role === "processor");
  return passProcessors([...steps, ...(input.processors ?? [])], taken, context);
}

/** Whether processors change the messages between reading and the input's output. */
function hasSteps({ processors = [], config }: ComponentNode): boolean {
  return processors.length > 0 || nestedComponents(config).some(({ role }) => role === "processor");
}

/** The message for texts that an input reads before any message exists. */
const anything: Passing = { well: anyMessage, flagged: { message: anyMessage, failures: [] } };

/** Follows the texts of replies, which are computed at the end of the stream. */
function passReplyTexts(input: ComponentNode, context: FlowContext): void {
  const texts = repliesOf(input)?.value;
  if (texts === undefined) return;
  const message = joinMessages(context.replies);
  const at = { well: message, flagged: { message, failures: [] } };
  passTemplates(texts, { component: input, at, context });
}

function passSource(input: ComponentNode, content: Type | undefined, context: FlowContext): Passing {
  const place = { component: input, at: anything, context };
  const replies = repliesOf(input)?.value;
  if (replies === undefined) passTemplates(input.config, place);
  else for (const value of innerFields(input.config)) if (value !== replies) passTemplates(value, place);
  const { args_mapping, mapping: maker } = sourceOptions(input) ?? {};
  const args = args_mapping?.mapping;
  // It is run once, before there are messages.
  if (args !== undefined) passScripts(args, { ...place, at: { well: anyMessage, flagged: undefined } });
  const mapping = maker?.mapping;
  const source = { component: input, at: { well: anyMessage, flagged: undefined }, context };
  const made = mapping && passMapping(mapping, source).message;
  const message = messageOfInput(
    input,
    made?.content ?? content ?? anyMessage.content,
    context.parametersOf(input),
  );
  return { well: made === undefined ? message : { ...made, content: message.content }, flagged: undefined };
}
