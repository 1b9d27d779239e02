// A stream in, what is known of its messages at every step out: from the input through the pipeline to the
// output, whose declared schema the result is held against.

import type { Report } from "../../diagnostics/sink.ts";
import type {
  ApiDocument,
  ComponentNode,
  MappingField,
  QueryField,
  StreamNode,
  TemplateField,
} from "../../parse/document/api.ts";
import type { MessageType } from "../../value-types/message-type.ts";
import { type Type, unknown } from "../../value-types/type.ts";
import type { DeclaredTypes } from "../inference/declared-types.ts";
import { findReplySchema } from "./called-operation.ts";
import type { DeclaredSchemas } from "./declared-schemas.ts";
import { messageOfInput } from "./input-message.ts";
import { inferFields, passProcessors } from "./processors.ts";
import { checkResult } from "./result.ts";

/** Infers scripts in the places where they stand, and reports what is wrong there. */
export interface ScriptTypes {
  /** What comes out of a mapping; `origin` is the message a branch began with. */
  mapping(field: MappingField, message: MessageType, origin?: MessageType): MessageType;
  query(field: QueryField, message: MessageType): void;
  template(field: TemplateField, message: MessageType): void;
}

/** A component, and what comes out of it. */
export interface Step {
  readonly component: ComponentNode;
  readonly message: MessageType;
}

/** What passing a pipeline needs. */
export interface FlowContext {
  readonly scripts: ScriptTypes;
  /** The steps so far, those inside a component before its own. */
  readonly steps: Step[];
  /** The type of the reply to a component that sends requests. */
  readonly replyType: (component: ComponentNode) => Type;
}

/** What a stream is made of, and what is declared of its messages. */
export interface FlowSource {
  readonly stream: StreamNode;
  readonly api: ApiDocument;
  readonly schemas: DeclaredSchemas;
  readonly declared: DeclaredTypes;
}

/** The message type after the input and after each processor, in the order messages pass them. */
export function inferStream(source: FlowSource, scripts: ScriptTypes, report: Report): readonly Step[] {
  const { stream, api, schemas, declared } = source;
  const { input, processors, output } = stream;
  if (input === undefined) return [];
  const content = schemas.input === undefined ? unknown : declared.typeOf(schemas.input);
  const taken = messageOfInput(input, content);
  const context: FlowContext = {
    scripts,
    steps: [{ component: input, message: taken }],
    replyType: (component) => {
      const schema = component.schema ?? findReplySchema(component, api);
      return schema === undefined ? unknown : declared.typeOf(schema);
    },
  };
  const result = passProcessors(processors, taken, context);
  if (output !== undefined) {
    inferFields(output.config, result, scripts);
    if (schemas.output !== undefined) {
      checkResult(
        { processors, output, result: result.content, wanted: declared.typeOf(schemas.output) },
        report,
      );
    }
  }
  return context.steps;
}
