// Follows messages through processors, according to the descriptors of the processors. Returns the messages on which
// every processor succeeded, and those on which one failed, which keep their former shape.

import { descriptorOf, type MessageEffect } from "../../../schemas/component.ts";
import { branchesInOrder } from "../../model/branch-order.ts";
import { hasUnread } from "../../model/components.ts";
import { declaredOption, type GivenBlock, optionsNamed } from "../../model/options.ts";
import { writtenOptions } from "../../model/written-options.ts";
import type { ComponentNode, FieldNode } from "../../trees/api.ts";
import { nestedComponents } from "../../trees/fields.ts";
import { type Assign, type Mapping, sampleOf } from "../../trees/mapping.ts";
import { walk } from "../../trees/walk.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { elementsOf } from "../../value-types/elements.ts";
import {
  anyMessage,
  anyObject,
  arrayOf,
  bytes,
  type MessageType,
  string,
  type Type,
  unknown,
} from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { casesOf, noMessages, partByCases } from "./cases.ts";
import type { FlowContext } from "./context.ts";
import { asDeclared, checkDeclared } from "./declared-messages.ts";
import { deletesFlagged, flagReads, isDeletion } from "./failures/flag-reads.ts";
import type { StreamFailure } from "./failures/stream-failure.ts";
import { type ComponentGroup, catchFlagged, retryUntilWell, runWhile, tryInOrder } from "./groups.ts";
import { replyMessage } from "./input-message.ts";
import { joinMessages, mayBeMerged, withMetadata, withRecord } from "./message.ts";
import { type Effect, joinPassings, messageAt, type Passing, passStep } from "./passing.ts";
import { passMapping, passScripts } from "./scripts.ts";

/** Returns the output of processors in sequence, the first of which follows `before`. The context records each step. */
export function passProcessors(
  processors: readonly ComponentNode[],
  at: Passing,
  context: FlowContext,
  before?: ComponentNode,
): Passing {
  return processors.reduce((reached, processor, index) => {
    const left = answersRequests(processor)
      ? passReply(processor, processors.slice(0, index), reached, context)
      : asDeclared(
          { component: processor, made: [processor], context },
          passProcessor(processor, reached, context),
          reached,
        );
    reportDeletion(processor, processors[index + 1], context);
    const step = { component: processor, message: messageAt(left), before: processors[index - 1] ?? before };
    context.steps.push(step);
    return left;
  }, at);
}

/** Reports a mapping that deletes every message although processors follow it in the same list. */
function reportDeletion(
  { config }: ComponentNode,
  next: ComponentNode | undefined,
  context: FlowContext,
): void {
  if (config.kind !== "Mapping" || config.mapping.from !== undefined || next === undefined) return;
  const last = deletionIn(sampleOf(config.mapping)) && deletionIn(config.mapping);
  if (last === undefined) return;
  const related = { span: next.nameSpan, message: "This is the first one that never runs." };
  context.report("GW3139", last.span, { next: next.name }, related);
}

/** Returns the last assignment to the root if it deletes the message. */
function deletionIn({ statements }: Mapping): Assign | undefined {
  const last = statements.findLast(
    (statement) => statement.kind === "Assign" && statement.target.length === 0,
  );
  return last?.kind === "Assign" && isDeletion(last.value) ? last : undefined;
}

function answersRequests({ descriptor }: ComponentNode): boolean {
  return descriptor?.answersRequests === true;
}

/** A copy of the message answers the request, and the message continues unchanged. */
function passReply(
  component: ComponentNode,
  made: readonly ComponentNode[],
  at: Passing,
  context: FlowContext,
): Passing {
  context.replies.push(messageAt(at));
  checkDeclared({ component, made, context }, at, false);
  return passProcessor(component, at, context);
}

function passProcessor(component: ComponentNode, at: Passing, context: FlowContext): Passing {
  const group = { component, at, context, pass: passProcessors };
  const flow = descriptorOf("processor", component)?.flow;
  switch (flow?.kind) {
    case "mapping":
      return passMappingStep(component, at, context);
    case "branch":
      return passBranch(group);
    case "workflow":
      return passWorkflow(group);
    case "cases":
      return passCases(component, casesOf(component, flow.field), at, context);
    case "try":
      return tryInOrder(group, processorsOf(component, flow.field));
    case "catch":
      return catchFlagged(group, processorsOf(component, flow.field));
    case "sequence":
      return passProcessors(processorsOf(component, flow.field), at, context);
    case "retry":
      return retryUntilWell(group, processorsOf(component, flow.field));
    case "loop":
      return runWhile(group, processorsOf(component, flow.field));
    case "cached":
      return passCached(component, at, context);
    case "message":
    case undefined:
      return passOther(component, at, context);
  }
}

/** Returns the processors in one option, or in the value itself. */
function processorsOf(component: ComponentNode, option: string | undefined): readonly ComponentNode[] {
  if (option === undefined) return nestedComponents(component.config);
  return declaredOption(component, option)?.components ?? [];
}

/** Follows a processor with an effect of its own, or one that nothing is known about. */
function passOther(component: ComponentNode, at: Passing, context: FlowContext): Passing {
  const { config } = component;
  const failures = [...passScripts(config, { component, at, context }), ...ownFailures(component)];
  const inside = nestedComponents(config).filter(({ role }) => role === "processor");
  const outcome = passProcessors(inside, anything, context);
  const counting = onlyLogs(component) ? [] : [...failures, ...(outcome.flagged?.failures ?? [])];
  return passStep(at, { message: effectOf(component, at, context), failures: counting });
}

function onlyLogs(component: ComponentNode): boolean {
  return descriptorOf("processor", component)?.onlyLogsFailures === true;
}

/** Messages of any type, with or without a flag. */
const anything: Passing = { well: anyMessage, flagged: { message: anyMessage, failures: [] } };

function passMappingStep(component: ComponentNode, at: Passing, context: FlowContext): Passing {
  const { config } = component;
  if (config.kind !== "Mapping") return passStep(at, { message: anyMessage, failures: [] });
  const effect = passMapping(config, { component, at, context });
  const outcome = passStep(at, effect);
  if (flagReads(config.mapping).length > 0) {
    context.failures.read([...(at.flagged?.failures ?? []), ...effect.failures]);
  }
  if (!deletesFlagged(config.mapping) || at.flagged === undefined || at.well === undefined) return outcome;
  // `root = if errored() { deleted() }`: messages that arrive with a flag do not continue.
  context.failures.reach(at.flagged.failures, { kind: "handled", by: component });
  return passStep({ well: at.well, flagged: undefined }, effect);
}

/** Follows cases of `switch` and groups of `group_by`; messages that none of them takes pass. */
function passCases(
  component: ComponentNode,
  items: Parameters<typeof partByCases>[0],
  at: Passing,
  context: FlowContext,
): Passing {
  const outcomes: Passing[] = [];
  // The messages that a case with `fallthrough` passes to the next one.
  let carried = noMessages;
  let left = at;
  const parted = partByCases(items, { component, at, context }, { failedPass: onlyLogs(component) });
  for (const { inside, fallsThrough, taken, failed, ...rest } of parted) {
    const entering = joinPassings([taken, carried]);
    const outcome = passProcessors(inside, entering, context);
    carried = fallsThrough ? outcome : noMessages;
    outcomes.push(fallsThrough ? noMessages : outcome, { well: undefined, flagged: failed });
    left = rest.left;
  }
  return joinPassings([...outcomes, carried, left]);
}

const cachedOptions = optionsNamed(["processors", "key", "ttl", "skip_on"]);

/** A cached result is one that these processors produced earlier, with the metadata of the current message. */
function passCached(component: ComponentNode, at: Passing, context: FlowContext): Passing {
  const { processors, key, ttl, skip_on } = cachedOptions(component) ?? {};
  const outcome = passProcessors(processors?.components ?? [], at, context);
  const own = [key?.value, ttl?.value].flatMap((field) =>
    field === undefined ? [] : passScripts(field, { component, at, context }),
  );
  // `skip_on` reads the result; if it fails, the result is simply not cached.
  const skip = skip_on?.value;
  if (skip !== undefined) passScripts(skip, { component, at: outcome, context });
  const kept = { ...messageAt(at), content: messageAt(outcome).content };
  return joinPassings([
    outcome,
    passStep(at, { message: kept, failures: [...own, ...ownFailures(component)] }),
  ]);
}

/** Returns what a processor can fail on, apart from its scripts and inner processors. */
function ownFailures(component: ComponentNode): readonly StreamFailure[] {
  const mayFail = descriptorOf("processor", component)?.mayFail;
  const reason = typeof mayFail === "function" ? mayFail(writtenOptions(component.config)) : mayFail;
  return reason === undefined ? [] : [{ component, span: component.nameSpan, reason }];
}

/** Returns the message after a processor; the same object if the processor does not change it. */
function effectOf(component: ComponentNode, at: Passing, context: FlowContext): MessageType {
  const flow = descriptorOf("processor", component)?.flow;
  if (flow?.kind !== "message") return anyMessage;
  const { effect } = flow;
  const known = typeof effect === "function" ? effect(writtenOptions(component.config)) : effect;
  const message = withContent(messageAt(at), known.content, { component, at, context });
  const complete = withAddedMetadata(message, known);
  // An inserted message has the metadata of another one.
  return known.inserts === true ? joinMessages([complete, { ...complete, content: bytes }]) : complete;
}

interface EffectPlace {
  readonly component: ComponentNode;
  readonly at: Passing;
  readonly context: FlowContext;
}

function withContent(
  message: MessageType,
  content: MessageEffect["content"],
  { component, at, context }: EffectPlace,
): MessageType {
  switch (content) {
    case "same":
      return message;
    case "bytes":
      return { ...message, content: bytes };
    case "object":
      return { ...message, content: anyObject };
    case "unknown":
      return { ...message, content: unknown };
    case "inspected":
      return { ...message, content: context.producedType(component) };
    case "reply":
      return replyMessage(message, context.replyType(component));
    case "list":
      // If flagged messages are among them, the content of the others is unknown.
      return {
        ...message,
        content: arrayOf(at.flagged !== undefined ? unknown : documentsOf(message.content)),
      };
    case "elements":
      return { ...message, content: contentOf(elementsOf(message.content)) };
  }
}

function withAddedMetadata(
  message: MessageType,
  { metadata = [], setsMetadata }: MessageEffect,
): MessageType {
  if (setsMetadata === true) return { ...message, metadata: { known: new Map(), others: true } };
  if (metadata.length === 0) return message;
  return withMetadata(
    message,
    metadata.map((key) => [key, string]),
  );
}

/** Bytes among documents are parsed as documents. */
function documentsOf(content: Type): Type {
  return alternativesOf(content).some(({ kind }) => kind === "Bytes") ? unknown : content;
}

/** A string becomes the content of a message as it is, and may be JSON. */
function contentOf(element: Type): Type {
  return unionOf(alternativesOf(element).map((each) => (each.kind === "String" ? bytes : each)));
}

/** Follows `branch`. */
function passBranch(group: ComponentGroup): Passing {
  const { config, descriptor } = group.component;
  return passStep(group.at, branchEffect({ value: config, schema: descriptor?.schema ?? {} }, group));
}

const branchOptions = optionsNamed(["request_map", "processors", "result_map"]);

/** The side message passes the processors; the result map sees it as `this`, and the original message as `root`. */
function branchEffect(branch: GivenBlock, { component, at, context, pass }: ComponentGroup): Effect {
  const origin = messageAt(at);
  const { value: config } = branch;
  const { request_map, processors, result_map } = branchOptions(branch) ?? {};
  const request = request_map?.mapping;
  const side = request && passMapping(request, { component, at, context });
  // What was not read (because of a mistake, or under a misspelt name) could change the message in any way.
  const otherwise = hasUnread(config) ? anyMessage : origin;
  const isUnknown = hasUnread(config) || processors?.value === undefined;
  const entering: Passing = { well: side?.message ?? otherwise, flagged: undefined };
  const followed = pass(processors?.components ?? [], entering, context);
  const outcome = isUnknown ? { ...followed, well: followed.well && anyMessage } : followed;
  const result = result_map?.mapping;
  const merged = result && passMapping(result, { component, at: outcome, context }, origin);
  const message = merged?.message ?? otherwise;
  // A map that deletes leaves the message unchanged.
  const isSkipped = [request, result].some((map) => map !== undefined && mayDelete(map));
  return {
    message: isSkipped && message !== origin ? joinMessages([message, origin]) : message,
    failures: [
      ...miscounts(component, config),
      ...(side?.failures ?? []),
      ...(outcome.flagged?.failures ?? []),
      ...(merged?.failures ?? []),
    ],
  };
}

const workflowOptions = optionsNamed(["meta_path"]);

/**
 * Follows `workflow`: branches in an order of their own, each of which may see what others have merged. Their failures
 * are written into the document; without a place for them, the message is flagged.
 */
function passWorkflow(group: ComponentGroup): Passing {
  const { component, at, context } = group;
  const { config, nameSpan } = component;
  const failures: StreamFailure[] = [];
  const key = workflowOptions(component)?.meta_path.text ?? "";
  let message = key === "" ? messageAt(at) : withRecord(messageAt(at), key);
  for (const branch of branchesInOrder(component)) {
    const flagged = at.flagged && { ...at.flagged, message: at.well === undefined ? message : anyMessage };
    const reached = { well: at.well && message, flagged };
    const effect = branchEffect(branch, { ...group, at: reached });
    failures.push(...effect.failures);
    message = mayBeMerged(message, effect.message);
  }
  if (hasUnread(config)) message = anyMessage;
  if (key === "") return passStep(at, { message, failures });
  context.failures.reach(failures, { kind: "handled", by: component });
  const unwritten: StreamFailure = { component, span: nameSpan, reason: "the message may not be JSON" };
  return passStep(at, { message, failures: [unwritten] });
}

/** Returns the failure of the `branch` described by `config` if its processors may change the number of messages. */
function miscounts(component: ComponentNode, config: FieldNode): readonly StreamFailure[] {
  const isSure = !nestedComponents(config).some(mayChangeCount);
  if (isSure) return [];
  return [
    { component, span: component.nameSpan, reason: "its processors may change the number of messages" },
  ];
}

function mayChangeCount({ descriptor, config }: ComponentNode): boolean {
  const processor = descriptorOf("processor", { descriptor });
  if (processor === undefined || processor.changesCount === true || mayDelete(config)) return true;
  // Branches keep the number of the messages inside them.
  const isSideways = processor.flow.kind === "branch" || processor.flow.kind === "workflow";
  return !isSideways && nestedComponents(config).some(mayChangeCount);
}

/**
 * Whether a field is a mapping that may delete the message: it uses `deleted()` for the root, or imports another file.
 */
function mayDelete(config: FieldNode): boolean {
  if (config.kind !== "Mapping") return false;
  const mapping = sampleOf(config.mapping);
  let found = mapping.from !== undefined;
  walk(mapping, {
    Assign: ({ target }) => target.length === 0,
    MetaAssign: () => false,
    FunctionCall({ name }) {
      if (name.text === "deleted") found = true;
    },
    Import() {
      found = true;
    },
  });
  return found;
}
