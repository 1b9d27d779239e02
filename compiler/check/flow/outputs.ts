// Follows messages to an output: records where the failed ones go, and returns those that the output rejects.

import type { OutputFlow } from "../../../schemas/component.ts";
import { descriptorOf } from "../../../schemas/component.ts";
import { injectedTrace } from "../../builtins/results/shapes.ts";
import { hasUnread } from "../../model/components.ts";
import { optionsNamed } from "../../model/options.ts";
import type { ComponentNode, FieldNode } from "../../trees/api.ts";
import { nestedComponents } from "../../trees/fields.ts";
import { anyMessage, string, unknown } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { areComplete } from "../inference/narrowing/covered.ts";
import { casesOf, checkOf, partByCases } from "./cases.ts";
import type { FlowContext } from "./context.ts";
import { checkDeclared } from "./declared-messages.ts";
import { withMetadata } from "./message.ts";
import { type Flagged, joinFlagged, messageAt, type Passing } from "./passing.ts";
import { passProcessors } from "./processors.ts";
import { passMapping, passScripts, type ScriptPlace } from "./scripts.ts";

/** How a connector treats flagged messages: it rejects them, delivers them on purpose, or delivers them anyway. */
export type Gate = "closed" | "meant" | "open";

/** How messages reach an output. */
export interface Way {
  readonly gate: Gate;
  /** The processors that produced them, in order. */
  readonly made: readonly ComponentNode[];
  readonly context: FlowContext;
}

/** Follows messages to an output. Returns the rejected messages to the caller. */
export function passOutput(output: ComponentNode, given: Passing, way: Way): Flagged | undefined {
  const { config, processors = [] } = output;
  const { gate, context } = way;
  // Messages pass the output's `processors`, then the processors of collected batches; the gate follows these.
  const collected = nestedComponents(config).filter(({ role }) => role === "processor");
  const written = passProcessors(processors, given, context);
  const made = [...way.made, ...processors];
  // If a field has a name that is not read, the messages may be meant to be different.
  if (!hasUnread(config)) checkDeclared({ component: output, made, context }, written, gate !== "closed");
  const inside = { gate, made: [...made, ...collected], context };
  const at = passProcessors(collected, written, context);
  // The checks that complete a batch run before its processors, on the messages as they arrive; a check that fails
  // completes no batch.
  const options = outputOptions(output);
  const batching = options?.batching?.value;
  if (batching !== undefined) passScripts(batching, { component: output, at: written, context });
  const own = { component: output, at, context };
  if (output.descriptor?.answersRequests === true) context.replies.push(messageAt(at));
  recordWritten(output, at, way);
  passTraces(output, at, context);
  const children = nestedComponents(config).filter(({ role }) => role === "output");
  const passAll = (to: Passing) => joinFlagged(children.map((child) => passOutput(child, to, inside)));
  switch (flowOf(output)) {
    case "first-accepting":
      return passFallback(children, at, inside);
    case "cases":
      return passCases(output, at, inside);
    case "refuse-flagged":
      return joinFlagged([at.flagged, passAll({ well: at.well, flagged: undefined })]);
    case "refuse":
      return joinFlagged([at.flagged, scriptFailures(passOwnScripts(config, own), at)]);
    case "drop-refused":
      return options?.error?.isTrue ? dropRefused(output, at.flagged, passAll(at), context) : passAll(at);
    default: {
      const unwritten = scriptFailures(passOwnScripts(config, own), at);
      if (children.length === 0) return joinFlagged([passGate(output, at.flagged, gate, context), unwritten]);
      return joinFlagged([unwritten, passAll(at)]);
    }
  }
}

const outputOptions = optionsNamed([], ["batching", "inject_tracing_map", "error", "strict_mode"]);

/** Records what an output writes to a channel. Failed messages that it delivers too may have any content. */
function recordWritten(output: ComponentNode, at: Passing, { gate, context: { written } }: Way): void {
  if (output.descriptor?.brokerChannels === undefined && output.descriptor?.isChannel !== true) return;
  const isChanged = outputOptions(output)?.inject_tracing_map?.mapping !== undefined;
  const isKnown = !isChanged && (at.flagged === undefined || gate === "closed");
  const before = written.get(output);
  const content = isKnown ? messageAt(at).content : unknown;
  written.set(output, before === undefined ? content : unionOf([before, content]));
}

function flowOf({ descriptor }: ComponentNode): OutputFlow | undefined {
  return descriptorOf("output", { descriptor })?.flow;
}

/** Follows the scripts of an output that see the messages it writes. */
function passOwnScripts(config: FieldNode, place: ScriptPlace): Flagged["failures"] {
  if (config.kind !== "Object") return passScripts(config, place);
  return config.fields.flatMap(({ name, value }) =>
    name === "batching" || name === "inject_tracing_map" ? [] : passScripts(value, place),
  );
}

/**
 * Follows the mapping that writes traces into messages. Its failures are logged, and the message is written unchanged.
 */
function passTraces(output: ComponentNode, at: Passing, context: FlowContext): void {
  const mapping = outputOptions(output)?.inject_tracing_map?.mapping;
  if (mapping === undefined) return;
  const trace: Passing = { well: { ...anyMessage, content: injectedTrace }, flagged: undefined };
  passMapping(mapping, { component: output, at: trace, context }, messageAt(at));
}

/** Marks failures inside `drop_on` as dropped. Messages that arrived with a flag did not pass the gate before it. */
function dropRefused(
  output: ComponentNode,
  before: Flagged | undefined,
  refused: Flagged | undefined,
  { failures }: FlowContext,
): Flagged | undefined {
  const held = new Set(before?.failures);
  const dropped = refused?.failures.filter((failure) => !held.has(failure)) ?? [];
  failures.reach(dropped, { kind: "handled", by: output });
  return refused && before;
}

function passGate(
  output: ComponentNode,
  flagged: Flagged | undefined,
  gate: Gate,
  { failures }: FlowContext,
): Flagged | undefined {
  if (flagged === undefined || gate === "closed") return flagged;
  const destination =
    flowOf(output) === "discard"
      ? ({ kind: "handled", by: output } as const)
      : ({ kind: "output", output, isMeant: gate === "meant" } as const);
  failures.reach(flagged.failures, destination);
  return undefined;
}

/** Returns the messages that are not written because a text of the output cannot be computed. */
function scriptFailures(failures: Flagged["failures"], at: Passing): Flagged | undefined {
  return failures.length === 0 ? undefined : { message: messageAt(at), failures };
}

/** Follows a fallback: each output after the first receives what the earlier ones rejected, with or without a flag. */
function passFallback(outputs: readonly ComponentNode[], at: Passing, way: Way): Flagged | undefined {
  let reached = at;
  let through = way.gate;
  for (const output of outputs) {
    const refused = passOutput(output, reached, { ...way, gate: through });
    const caught = refused && { ...refused, message: withMetadata(refused.message, fallbackError) };
    // Writing may fail for any message, which then continues unchanged, with a reason in its metadata.
    reached = { well: reached.well && withMetadata(reached.well, fallbackError), flagged: caught };
    if (through === "closed") through = "meant";
  }
  return reached.flagged;
}

const fallbackError = [["fallback_error", string]] as const;

/** Follows cases: those that ask whether something failed are intended for failed messages. */
function passCases(output: ComponentNode, at: Passing, way: Way): Flagged | undefined {
  const { gate, context } = way;
  // A check that fails does not match; the failure is logged.
  const place = { component: output, at, context };
  const parted = partByCases(casesOf(output, "cases"), place, { failedPass: true });
  const refused = parted.flatMap(({ inside, taken, failed, isMeantForFlagged }) => {
    const through = isMeantForFlagged && gate === "closed" ? "meant" : gate;
    return [failed, ...inside.map((child) => passOutput(child, taken, { ...way, gate: through }))];
  });
  // Messages that no case takes may be dropped, but failed messages are not.
  const left = parted.at(-1)?.left ?? at;
  if (drops(output, left)) context.report("GW4120", output.nameSpan, {});
  return joinFlagged([...refused, left.flagged]);
}

/** Whether messages that no case takes are dropped, and the checks leave some. */
function drops(output: ComponentNode, left: Passing): boolean {
  const cases = casesOf(output, "cases");
  const isStrict = outputOptions(output)?.strict_mode?.isTrue === true;
  // A check that was not read may be the one for the others.
  if (cases.some(({ value }) => hasUnread(value))) return false;
  if (cases.length === 0 || isStrict || (left.well ?? left.flagged) === undefined) return false;
  return !areComplete(cases.flatMap((each) => checkOf(each)?.query ?? []));
}

/** Whether an output accepts flagged messages only to reject them, so that they never become dead letters. */
export function sendsBack(output: ComponentNode): boolean {
  const children = nestedComponents(output.config).filter(({ role }) => role === "output");
  switch (flowOf(output)) {
    case "refuse":
    case "refuse-flagged":
      return true;
    case "first-accepting":
      return children.length > 1 || children.every(sendsBack);
    case "drop-refused":
    case "repeat":
      return children.every(sendsBack);
    default:
      return false;
  }
}
