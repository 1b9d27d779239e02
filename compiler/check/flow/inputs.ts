// An input in, the messages it gives out: of the inputs inside it together, with the steps beside each taken.

import { nestedComponents } from "../../model/components.ts";
import type { ComponentNode } from "../../trees/api.ts";
import { findField } from "../../trees/fields.ts";
import { anyMessage } from "../../value-types/message-type.ts";
import type { Type } from "../../value-types/type.ts";
import { mappingIn } from "./children.ts";
import type { FlowContext } from "./context.ts";
import { asDeclared } from "./declared-messages.ts";
import { messageOfInput } from "./input-message.ts";
import { joinPassings, type Passing } from "./passing.ts";
import { passProcessors } from "./processors.ts";
import { passMapping, passScripts, passTemplates } from "./scripts.ts";

/** The type of an input's messages; `around` is the type that its parent inputs declare for them. */
export function passInput(input: ComponentNode, context: FlowContext, around?: Type): Passing {
  const nested = nestedComponents(input.config);
  const inner = nested.filter(({ role }) => role === "input");
  const content = context.declaredOf(input) ?? around;
  const given =
    inner.length > 0
      ? joinPassings(inner.map((each) => passInput(each, context, hasSteps(each) ? undefined : content)))
      : passSource(input, content, context);
  const taken = asDeclared({ component: input, made: inner, context }, given);
  // Queries that say when a batch is complete, or reading is over; then what collected batches pass.
  const scripts = inner.length > 0 ? input.config : findField(input.config, "batching");
  if (scripts !== undefined) passScripts(scripts, { component: input, at: taken, context });
  const steps = nested.filter(({ role }) => role === "processor");
  return passProcessors([...steps, ...(input.processors ?? [])], taken, context);
}

/** Whether processors stand between the messages that an input reads and those that it gives. */
function hasSteps({ processors = [], config }: ComponentNode): boolean {
  return processors.length > 0 || nestedComponents(config).some(({ role }) => role === "processor");
}

/** Texts of an input see a reply, or nothing at all: what is known of its messages says nothing of those. */
const anyReply: Passing = { well: anyMessage, flagged: { message: anyMessage, failures: [] } };

function passSource(input: ComponentNode, content: Type | undefined, context: FlowContext): Passing {
  passTemplates(input.config, { component: input, at: anyReply, context });
  const mapping = mappingIn(input.config, "mapping");
  const source = { component: input, at: { well: anyMessage, flagged: undefined }, context };
  const made = mapping && passMapping(mapping, source).message;
  const message = messageOfInput(input, made?.content ?? content ?? anyMessage.content);
  return { well: made === undefined ? message : { ...made, content: message.content }, flagged: undefined };
}
