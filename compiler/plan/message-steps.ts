// What is known of the messages of a stream at each of its steps, as schemas that stand for themselves.

import type { DeclaredSchemas } from "../check/flow/declared-schemas.ts";
import type { NamedStep } from "../check/flow/named-steps.ts";
import type { ApiModel } from "../model/api.ts";
import type { DocumentNode } from "../trees/document.ts";
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
}

/**
 * The messages after the input, after each processor, and as the output gives them. What is declared is taken as it
 * was written, with its descriptions; all else is what was inferred.
 */
export function planMessageSteps({ api, steps, declared }: MessageSource): readonly MessageStepPlan[] {
  const messageOf = createMessages(steps, declared, api);
  const given = declaredAt(declared.output, api);
  return steps.map((step) =>
    planStep(step, (step.name === "output" ? given : undefined) ?? messageOf(step.message.content)),
  );
}

/** What messages look like at a step. */
type MessagePlan = Pick<MessageStepPlan, "schema" | "isDeclared">;

/** Schemas of types; that of the declared input is the declared one, wherever its messages get to unchanged. */
function createMessages(
  steps: readonly NamedStep[],
  { input }: DeclaredSchemas,
  api: ApiModel,
): (type: Type) => MessagePlan {
  const known = new Map<Type, MessagePlan>();
  const [taken, written] = [steps[0]?.message.content, declaredAt(input, api)];
  if (written !== undefined && taken !== undefined) known.set(taken, written);
  return (type) => {
    const message = known.get(type) ?? { schema: writeJsonSchema(type), isDeclared: false };
    known.set(type, message);
    return message;
  };
}

function declaredAt(schema: DocumentNode | undefined, api: ApiModel): MessagePlan | undefined {
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
