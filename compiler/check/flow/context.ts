// What taking messages through a stream needs, and keeps.

import type { Report } from "../../diagnostics/sink.ts";
import type { ComponentNode, MappingField, QueryField, TemplateField } from "../../trees/api.ts";
import type { MessageType, Type } from "../../value-types/type.ts";
import type { Failure } from "../inference/failures.ts";
import type { StreamFailures } from "./failures/failure-log.ts";

/** What a mapping gives. */
export interface MappingTypes {
  readonly message: MessageType;
  readonly failures: readonly Failure[];
}

/** The messages a query holds for, and the others. */
export interface QueryTypes {
  readonly type: Type;
  readonly whenTrue: MessageType;
  readonly whenFalse: MessageType;
  readonly failures: readonly Failure[];
}

/** Infers scripts in the places where they stand, and reports what is wrong there. */
export interface ScriptTypes {
  /** `origin` is the message a branch began with. */
  mapping(field: MappingField, message: MessageType, origin?: MessageType): MappingTypes;
  query(field: QueryField, message: MessageType): QueryTypes;
  template(field: TemplateField, message: MessageType): readonly Failure[];
  /** The same without telling anyone, for messages that are only tried. */
  readonly quiet: ScriptTypes;
}

/** A component and its result. */
export interface FlowStep {
  readonly component: ComponentNode;
  readonly message: MessageType;
  /** The component whose messages come to it, where it follows one. */
  readonly before?: ComponentNode | undefined;
}

/** What passing a pipeline needs. */
export interface FlowContext {
  readonly scripts: ScriptTypes;
  readonly report: Report;
  /** The steps so far, those inside a component before its own. */
  readonly steps: FlowStep[];
  readonly failures: StreamFailures;
  /** The messages that become replies, as far as they were followed. */
  readonly replies: MessageType[];
  /** Whether messages are only tried: loops inside are not tried once more. */
  readonly isTrial: boolean;
  /** What the document declares of the messages that a component gives, an output of those that it gets. */
  readonly declaredOf: (component: ComponentNode) => Type | undefined;
  /** The type of the reply to a component that sends requests. */
  readonly replyType: (component: ComponentNode) => Type;
  /** The type of the documents that a component makes, as its runtime says. */
  readonly producedType: (component: ComponentNode) => Type;
  /** Names of metadata that requests to an input may set, beside the parameters of its paths. */
  readonly parametersOf: (input: ComponentNode) => readonly string[];
}
