// Plans the schemas of a stream's messages after each of its steps, as self-contained schemas.

import type { DeclaredSchemas } from "../check/flow/declared-schemas.ts";
import type { NamedStep } from "../check/flow/named-steps.ts";
import type { Hide } from "../diagnostics/secrets/without-secrets.ts";
import type { ApiModel } from "../model/api.ts";
import type { ComponentNode } from "../trees/api.ts";
import { writeJsonSchema } from "../value-types/json-schema/write/write-schema.ts";
import type { Type } from "../value-types/type.ts";
import type { MessageStepPlan } from "./plan.ts";
import { selfContained } from "./self-contained-schema.ts";

/** The inputs for planning the steps of a stream. */
export interface MessageSource {
  readonly api: ApiModel;
  /** The steps found by the check, in the order in which messages pass them. */
  readonly steps: readonly NamedStep[];
  readonly declared: DeclaredSchemas;
  /** Removes the secrets that documents write into messages. */
  readonly hide: Hide;
}

/**
 * Returns the messages after the input, after each processor, and at the output. Declared schemas are used as
 * written, with their descriptions; all others are inferred, without the texts that are secrets.
 */
export function planMessageSteps({ api, steps, declared, hide }: MessageSource): readonly MessageStepPlan[] {
  const messageOf = createMessages(declared, api, hide);
  return steps.map((step) => planStep(step, messageOf(step)));
}

/** The schema of the messages at a step. */
type MessagePlan = Pick<MessageStepPlan, "schema" | "isDeclared">;

/** Returns the schemas of steps, in order: a declared schema also applies to later steps that leave messages unchanged. */
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
    // The schema that an output declares does not apply to the messages that reach it from other steps.
    if (component.role !== "output") known.set(content, message);
    return message;
  };
}

/** Returns the self-contained schema that a component declares for its messages; `undefined` if it declares none. */
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
