// Follows messages through the scripts of components: returns their results and possible failures.

import type { ComponentNode, FieldNode, MappingField, QueryField, TemplateField } from "../../trees/api.ts";
import { innerFields } from "../../trees/fields.ts";
import type { MappingNode } from "../../trees/mapping.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { fieldOf } from "../../value-types/fields.ts";
import { anyMessage, type MessageType, string } from "../../value-types/type.ts";
import { shownTypes } from "../inference/demands.ts";
import type { Failure } from "../inference/failures.ts";
import { bareWord } from "../mapping/bare-words.ts";
import type { FlowContext } from "./context.ts";
import { flagReads } from "./failures/flag-reads.ts";
import type { StreamFailure } from "./failures/stream-failure.ts";
import { messageAt, type Passing } from "./passing.ts";

/** A component, the messages that reach its scripts, and the context of the stream. */
export interface ScriptPlace {
  readonly component: ComponentNode;
  readonly at: Passing;
  readonly context: FlowContext;
}

/** The effect of a mapping on messages. */
export interface MappingEffect {
  readonly message: MessageType;
  readonly failures: readonly StreamFailure[];
}

/** Follows a mapping in its place; `origin` is the message that a branch began with. */
export function passMapping(field: MappingField, place: ScriptPlace, origin?: MessageType): MappingEffect {
  // The side message of a branch begins without a flag; whether its origin has one does not matter here.
  if (origin === undefined) reportFlagReads(field.mapping, place);
  // A function reads its argument instead of the message.
  const message = field.startsFrom === "value" ? anyMessage : messageAt(place.at);
  const outcome = place.context.scripts.mapping(field, message, origin);
  return { ...outcome, failures: locate(outcome.failures, place) };
}

/** Follows a mapping whose result is a value for its component. Reports another type if the value must be an array. */
function passGivingMapping(field: MappingField, place: ScriptPlace): readonly StreamFailure[] {
  const { message, failures } = passMapping(field, place);
  const { givesArray: name, mapping, span } = field;
  const found = alternativesOf(message.content);
  if (
    name === undefined ||
    found.length === 0 ||
    found.some(({ kind }) => kind === "Array" || kind === "Unknown")
  )
    return failures;
  const last = mapping.statements.findLast((statement) => statement.kind === "Assign");
  place.context.report("GW4155", last?.span ?? span, {
    component: place.component.name,
    field: name,
    // A text becomes the bytes of the message.
    reason: `it gives ${shownTypes(found.map((each) => (each.kind === "Bytes" ? string : each)))}, not an array`,
    hint: "Write an array, such as `root = [ this.id ]`.",
  });
  return failures;
}

/** Follows a query that selects messages, in its place. */
export function passQuery(field: QueryField, place: ScriptPlace) {
  reportFlagReads(field.query, place);
  const outcome = place.context.scripts.query(field, messageAt(place.at));
  return { ...outcome, failures: locate(outcome.failures, place) };
}

function passTemplate(field: TemplateField, place: ScriptPlace): readonly StreamFailure[] {
  reportFlagReads(field.template, place);
  reportUncalledError(field, place);
  return locate(place.context.scripts.template(field, messageAt(place.at)), place);
}

/** Reports `${! error }` without a declared field `error`: as the only word of a query, the function is meant. */
function reportUncalledError({ template }: TemplateField, { at, context }: ScriptPlace): void {
  for (const part of template.parts) {
    const word = part.kind === "QueryPart" ? bareWord(part.query) : undefined;
    if (word?.name.text !== "error" || fieldOf(messageAt(at).content, "error").declared) continue;
    context.report("GW4139", word.span, { name: "error" });
  }
}

/** Follows every script in a field, except in components inside it. None of them changes the message. */
export function passScripts(field: FieldNode, place: ScriptPlace): readonly StreamFailure[] {
  switch (field.kind) {
    case "Mapping":
      return passGivingMapping(field, place);
    case "Query":
      return passQuery(field, place).failures;
    case "Template":
      return passTemplate(field, place);
    default:
      return innerFields(field).flatMap((inner) => passScripts(inner, place));
  }
}

/** Follows every text in a field that contains interpolations; scripts of other kinds are left out. */
export function passTemplates(field: FieldNode, place: ScriptPlace): void {
  if (field.kind === "Template") passTemplate(field, place);
  else for (const inner of innerFields(field)) passTemplates(inner, place);
}

function locate(failures: readonly Failure[], { component }: ScriptPlace): readonly StreamFailure[] {
  return failures.map(({ span, reason }) => ({ component, span, reason }));
}

/**
 * Reports a query for failures where nothing can have failed: the `catch` is too early, or the `try` contains too much.
 */
function reportFlagReads(script: MappingNode, { at, context }: ScriptPlace): void {
  if (at.well === undefined || at.flagged !== undefined) return;
  for (const { name, span } of flagReads(script)) {
    context.report("GW3204", span, { name: name.text, gives: name.text === "errored" ? "false" : "null" });
  }
}
