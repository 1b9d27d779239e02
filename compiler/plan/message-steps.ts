// What is known of the messages of a stream at each of its steps, as schemas that stand for themselves.

import type { DeclaredSchemas } from "../check/flow/declared-schemas.ts";
import type { NamedStep } from "../check/flow/named-steps.ts";
import type { Hide } from "../diagnostics/secrets/without-secrets.ts";
import type { ApiModel } from "../model/api.ts";
import type { ComponentNode } from "../trees/api.ts";
import { writeJsonSchema } from "../value-types/json-schema/write/write-schema.ts";
import type { Type } from "../value-types/type.ts";
import type { MessageStepPlan } from "./plan.ts";
import { selfContained } from "./self-contained-schema.ts";

/** What planning the steps of a stream needs. */
export interface MessageSource {
  readonly api: ApiModel;
  /** As the check found them, in the order messages pass. */
  readonly steps: readonly NamedStep[];
  readonly declared: DeclaredSchemas;
  /** Takes out the secrets that documents write into messages. */
  readonly hide: Hide;
}

/**
 * The messages after the input, after each processor, and as the output gives them. What is declared is taken as it
 * was written, with its descriptions; all else is what was inferred, without the texts that are secrets.
 */
export function planMessageSteps({ api, steps, declared, hide }: MessageSource): readonly MessageStepPlan[] {
  const messageOf = createMessages(declared, api, hide);
  return steps.map((step) => planStep(step, messageOf(step)));
}

/** What messages look like at a step. */
type MessagePlan = Pick<MessageStepPlan, "schema" | "isDeclared">;

/** Schemas of steps, asked in order; declared ones count wherever their messages get to unchanged. */
function createMessages(
  declared: DeclaredSchemas,
  api: ApiModel,
  hide: Hide,
): (step: NamedStep) => MessagePlan {
  const isSecret = (text: string) => hide(text) !== text;
  const known = new Map<Type, MessagePlan>();
  return ({ component, message: { content } }) => {
    const written = planDeclared(component, declared, api);
    const message = written ??
      known.get(content) ?? { schema: writeJsonSchema(content, isSecret), isDeclared: false };
    // What an output declares says nothing of what came to it, which other steps give.
    if (component.role !== "output") known.set(content, message);
    return message;
  };
}

/** What a component declares of its messages, by a schema that stands for itself; `undefined` where it declares nothing. */
export function planDeclared(
  component: ComponentNode,
  declared: DeclaredSchemas,
  api: ApiModel,
): MessagePlan | undefined {
  const schema = declared.get(component);
  return schema && { schema: selfContained(schema, api), isDeclared: true };
}

function planStep({ component, name, reads }: NamedStep, message: MessagePlan): MessageStepPlan {
  const { label, nameSpan } = component;
  return {
    name,
    component: component.name,
    ...(label === undefined ? {} : { label }),
    span: nameSpan,
    ...(reads === undefined ? {} : { reads }),
    ...message,
  };
}
