// A message and the processors it passes in, what comes out of them out. Looks at the way of messages on which
// nothing failed; what failed keeps the shape it had.

import type { ComponentNode, FieldNode, MappingField } from "../../parse/document/api.ts";
import { anyMessage, type MessageType } from "../../value-types/message-type.ts";
import { integer } from "../../value-types/type.ts";
import { findField, type NamedField } from "../document/components.ts";
import { replyMessage } from "./input-message.ts";
import { joinMessages, withMetadata } from "./message.ts";
import type { FlowContext, ScriptTypes } from "./streams.ts";

/** What comes out of processors in order; each step is told to the context. */
export function passProcessors(
  processors: readonly ComponentNode[],
  message: MessageType,
  context: FlowContext,
): MessageType {
  let at = message;
  for (const processor of processors) {
    at = passProcessor(processor, at, context);
    context.steps.push({ component: processor, message: at });
  }
  return at;
}

function passProcessor(processor: ComponentNode, message: MessageType, context: FlowContext): MessageType {
  const { config } = processor;
  switch (processor.name) {
    case "mapping":
    case "mutation":
      return config.kind === "Mapping" ? context.scripts.mapping(config, message) : anyMessage;
    case "branch":
      return passBranch(config, message, context);
    case "switch":
      return passSwitch(config, message, context);
    case "http":
      inferFields(config, message, context.scripts);
      return replyMessage(message, context.replyType(processor));
    case "try":
    case "processors":
    case "for_each":
      return passProcessors(componentsIn(config), message, context);
    case "parallel":
      return passProcessors(componentsIn(findField(config, "processors")?.value), message, context);
    case "retry":
      return passRetry(config, message, context);
    case "catch":
      // What something failed on is as it was before any of the steps so far.
      return joinMessages([message, passProcessors(componentsIn(config), anyMessage, context)]);
    case "while":
      return passWhile(config, message, context);
    case "log":
    case "noop":
    case "sleep":
    case "split":
      inferFields(config, message, context.scripts);
      return message;
    default:
      inferFields(config, message, context.scripts);
      return anyMessage;
  }
}

function passRetry(config: FieldNode, message: MessageType, context: FlowContext): MessageType {
  const outcome = passProcessors(componentsIn(findField(config, "processors")?.value), message, context);
  return withMetadata(outcome, [
    ["retry_count", integer],
    ["backoff_duration", integer],
  ]);
}

/** A round may begin with what the one before has made, of which nothing is known before it is inferred. */
function passWhile(config: FieldNode, message: MessageType, context: FlowContext): MessageType {
  const check = findField(config, "check")?.value;
  if (check?.kind === "Query") context.scripts.query(check, anyMessage);
  const outcome = passProcessors(componentsIn(findField(config, "processors")?.value), anyMessage, context);
  return joinMessages([message, outcome]);
}

/** The side message goes through its processors; the result map sees it as `this`, the original as `root`. */
function passBranch(config: FieldNode, message: MessageType, context: FlowContext): MessageType {
  const request = mappingOf(findField(config, "request_map"));
  const side = request === undefined ? message : context.scripts.mapping(request, message);
  const outcome = passProcessors(componentsIn(findField(config, "processors")?.value), side, context);
  const result = mappingOf(findField(config, "result_map"));
  return result === undefined ? message : context.scripts.mapping(result, outcome, message);
}

function passSwitch(config: FieldNode, message: MessageType, context: FlowContext): MessageType {
  const cases = findField(config, "cases")?.value;
  const items = cases?.kind === "List" ? cases.items : [];
  const outcomes: MessageType[] = [];
  let takesAll = false;
  // What a case that falls through hands to the next one.
  let carried: MessageType | undefined;
  for (const item of items) {
    const check = findField(item, "check")?.value;
    if (check?.kind === "Query") context.scripts.query(check, message);
    else takesAll = true;
    const entering = carried === undefined ? message : joinMessages([message, carried]);
    const outcome = passProcessors(componentsIn(findField(item, "processors")?.value), entering, context);
    const fallthrough = findField(item, "fallthrough")?.value;
    const fallsThrough = fallthrough?.kind === "Literal" && fallthrough.value === true;
    carried = fallsThrough ? outcome : undefined;
    if (!fallsThrough) outcomes.push(outcome);
  }
  return joinMessages(takesAll ? outcomes : [...outcomes, message]);
}

/** Infers every script among the fields of a component that has no other use for the message. */
export function inferFields(field: FieldNode, message: MessageType, scripts: ScriptTypes): void {
  switch (field.kind) {
    case "Mapping":
      scripts.mapping(field, message);
      return;
    case "Query":
      scripts.query(field, message);
      return;
    case "Template":
      scripts.template(field, message);
      return;
    case "List":
      for (const item of field.items) inferFields(item, message, scripts);
      return;
    case "Object":
      for (const { value } of field.fields) inferFields(value, message, scripts);
      return;
    case "Component":
      inferFields(field.component.config, message, scripts);
      return;
    default:
  }
}

function mappingOf(field: NamedField | undefined): MappingField | undefined {
  return field?.value.kind === "Mapping" ? field.value : undefined;
}

function componentsIn(value: FieldNode | undefined): readonly ComponentNode[] {
  const items = value?.kind === "List" ? value.items : [];
  return items.flatMap((item) => (item.kind === "Component" ? [item.component] : []));
}
