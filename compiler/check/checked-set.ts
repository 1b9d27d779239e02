// The result of a check, for planning, for descriptions, and for tools that inspect documents while they are edited.

import type { Inspection } from "../../schemas/component.ts";
import type { SetModel } from "../model/set.ts";
import type { SourceFile } from "../source/source.ts";
import type { ComponentNode, StreamNode } from "../trees/api.ts";
import type { Expression, Mapping, Template } from "../trees/mapping.ts";
import type { FlowStep } from "./flow/context.ts";
import type { DeclaredSchemas } from "./flow/declared-schemas.ts";
import type { FailureFlow } from "./flow/failures/stream-failure.ts";
import type { NamedStep } from "./flow/named-steps.ts";
import type { CheckedMapping, CheckedQuery, CheckedTemplate } from "./mapping/checked.ts";

/** A set and the facts about its scripts. Plan it only if the check reported no error. */
export interface CheckedSet {
  readonly set: SetModel;
  /** The set itself, or the set that it is a part of: mount places and routes are those of the whole. */
  readonly whole: SetModel;
  /** The documents of the set, and the files that their mappings import. */
  readonly files: readonly SourceFile[];
  /** The schemas that a stream declares for its messages. */
  declared(stream: StreamNode): DeclaredSchemas;
  /** The known facts about the messages of a stream after each of its steps. */
  steps(stream: StreamNode): readonly FlowStep[];
  /** The same steps by name, each name once, and the messages that the output receives. */
  namedSteps(stream: StreamNode): readonly NamedStep[];
  /** The failures that can occur in a stream, and where the failed message goes. */
  failures(stream: StreamNode): readonly FailureFlow[];
  mapping(mapping: Mapping): CheckedMapping;
  query(query: Expression): CheckedQuery;
  template(template: Template): CheckedTemplate;
  /** Returns the functions of the runtime that the options of a component call, by name. */
  links(component: ComponentNode): Inspection["links"];
}
