// Plans the schemas of a stream's messages after each of its steps, as self-contained schemas.

import type { DeclaredSchemas } from "../check/flow/declared-schemas.ts";
import type { NamedStep } from "../check/flow/named-steps.ts";
import type { Hide } from "../diagnostics/secrets/without-secrets.ts";
import type { ApiModel } from "../model/api.ts";
import { SchemaModel } from "../model/schema-model.ts";
import { once } from "../model/written.ts";
import type { SourceFile } from "../source/source.ts";
import type { ComponentNode } from "../trees/api.ts";
import type { DocumentNode } from "../trees/document.ts";
import type { JsonSchema } from "../value-types/json-schema/json-schema.ts";
import { isDescribed, writeJsonSchema } from "../value-types/json-schema/write/write-schema.ts";
import { type Type, withoutPlaces } from "../value-types/type.ts";
import type { MessageStepPlan } from "./plan.ts";
import { selfContained } from "./self-contained-schema.ts";

/** The messages of a stream, as the check found them. */
export interface MessageSource {
  /** The steps in the order in which messages pass them. */
  readonly steps: readonly NamedStep[];
  readonly declared: DeclaredSchemas;
}

/**
 * Returns a function that plans the messages of the streams of an API: after the input, after each processor, and at the
 * output. Declared schemas are used as written, with their descriptions; all others are inferred, without the texts that
 * are secrets. Streams that share a type, or refer to the same schema, share its plan. `hide`: removes the secrets that
 * documents write into messages.
 */
export function createStepPlanner(
  api: ApiModel,
  hide: Hide,
): (source: MessageSource) => readonly MessageStepPlan[] {
  const inferred = inferredMessages((text) => hide(text) !== text);
  const declaredAs = declaredMessages(api);
  return ({ steps, declared }) => {
    const known = new Map<Type, MessagePlan>();
    return steps.map((step) => {
      const { component, message } = step;
      const schema = declared.get(component);
      // A declared schema also applies to later steps that leave messages unchanged.
      const plan =
        schema === undefined ? (known.get(message.content) ?? inferred(message.content)) : declaredAs(schema);
      // The schema that an output declares does not apply to the messages that reach it from other steps.
      if (component.role !== "output") known.set(message.content, plan);
      return planStep(step, plan);
    });
  };
}

/** The schema of the messages at a step. */
type MessagePlan = Pick<MessageStepPlan, "schema" | "isDeclared" | "isKnown">;

function inferredMessages(isSecret: (text: string) => boolean): (content: Type) => MessagePlan {
  const known = new Map<Type, MessagePlan>();
  return (content) => {
    // A schema contains no places.
    const type = withoutPlaces(content);
    const plan = known.get(type) ?? laterPlan(isDescribed(type), () => writeJsonSchema(type, isSecret));
    known.set(type, plan);
    return plan;
  };
}

/**
 * Returns a plan whose schema is written on first access. Only descriptions contain schemas of messages, not gateways,
 * and searching the documents for secrets takes longer than planning them.
 */
function laterPlan(isKnown: boolean, write: () => JsonSchema): MessagePlan {
  const schema = once(write);
  return {
    get schema() {
      return schema();
    },
    isDeclared: false,
    isKnown,
  };
}

function declaredMessages(api: ApiModel): (schema: DocumentNode) => MessagePlan {
  /** Plans of schemas that consist of a reference, by its file and text. */
  const known = new Map<SourceFile, Map<string, MessagePlan>>();
  return (schema) => {
    const reference =
      schema.kind === "map" && schema.entries.length === 1
        ? new SchemaModel(schema).reference?.text
        : undefined;
    if (reference === undefined) return planSchema(schema, api);
    const { file } = schema.span.source;
    const ofFile = known.get(file) ?? new Map<string, MessagePlan>();
    known.set(file, ofFile);
    const plan = ofFile.get(reference) ?? planSchema(schema, api);
    ofFile.set(reference, plan);
    return plan;
  };
}

/** Returns the self-contained schema that a component declares for its messages; `undefined` if it declares none. */
export function planDeclared(
  component: ComponentNode,
  declared: DeclaredSchemas,
  api: ApiModel,
): MessagePlan | undefined {
  const schema = declared.get(component);
  return schema && planSchema(schema, api);
}

function planSchema(schema: DocumentNode, api: ApiModel): MessagePlan {
  const written = selfContained(schema, api);
  return { schema: written, isDeclared: true, isKnown: Object.keys(written).length > 0 };
}

function planStep({ component, name, reads }: NamedStep, message: MessagePlan): MessageStepPlan {
  const { label, nameSpan } = component;
  return {
    name,
    component: component.name,
    ...(label === undefined ? {} : { label }),
    span: nameSpan,
    ...(reads === undefined ? {} : { reads }),
    get schema() {
      return message.schema;
    },
    isDeclared: message.isDeclared,
    isKnown: message.isKnown,
  };
}
