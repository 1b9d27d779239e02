// The data that following messages through a stream needs and collects.

import type { Report } from "../../diagnostics/sink.ts";
import type { ComponentNode, MappingField, QueryField, TemplateField } from "../../trees/api.ts";
import type { MessageType, Type } from "../../value-types/type.ts";
import type { Failure } from "../inference/failures.ts";
import type { StreamFailures } from "./failures/failure-log.ts";

/** The result of a mapping. */
export interface MappingTypes {
  readonly message: MessageType;
  readonly failures: readonly Failure[];
}

/** The messages for which a query is true, and those for which it is false. */
export interface QueryTypes {
  readonly type: Type;
  readonly whenTrue: MessageType;
  readonly whenFalse: MessageType;
  readonly failures: readonly Failure[];
}

/** Infers the types of scripts where they are used, and reports their mistakes. */
export interface ScriptTypes {
  /** `origin` is the message that a branch began with. */
  mapping(field: MappingField, message: MessageType, origin?: MessageType): MappingTypes;
  query(field: QueryField, message: MessageType): QueryTypes;
  template(field: TemplateField, message: MessageType): readonly Failure[];
  /** The same without reports, for messages that are only tried. */
  readonly quiet: ScriptTypes;
}

/** A component and its result. */
export interface FlowStep {
  readonly component: ComponentNode;
  readonly message: MessageType;
  /** The component that its messages come from, if it follows one. */
  readonly before?: ComponentNode | undefined;
}

/** The state of following messages through a pipeline. */
export interface FlowContext {
  readonly scripts: ScriptTypes;
  readonly report: Report;
  /** The steps so far; components inside a component come before it. */
  readonly steps: FlowStep[];
  readonly failures: StreamFailures;
  /** The messages that become replies, as far as they were followed. */
  readonly replies: MessageType[];
  /** The content of the messages that each output writes to a channel, as far as they were followed. */
  readonly written: Map<ComponentNode, Type>;
  /** Whether messages are only tried: loops inside are then not tried again. */
  readonly isTrial: boolean;
  /** The type that the document declares for the messages that a component produces, or that an output receives. */
  readonly declaredOf: (component: ComponentNode) => Type | undefined;
  /** The type of the reply to a component that sends requests. */
  readonly replyType: (component: ComponentNode) => Type;
  /** The type of the documents that a component produces, according to its runtime. */
  readonly producedType: (component: ComponentNode) => Type;
  /** Names of metadata that requests to an input may set, in addition to its path parameters. */
  readonly parametersOf: (input: ComponentNode) => readonly string[];
}
