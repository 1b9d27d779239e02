// What a check leaves for planning, for descriptions, and for those who look at documents while they are written.

import type { SetModel } from "../model/set.ts";
import type { StreamNode } from "../trees/api.ts";
import type { Expression, Mapping, Template } from "../trees/mapping.ts";
import type { FlowStep } from "./flow/context.ts";
import type { DeclaredSchemas } from "./flow/declared-schemas.ts";
import type { FailureFlow } from "./flow/failures/stream-failure.ts";
import type { NamedStep } from "./flow/named-steps.ts";
import type { CheckedMapping, CheckedQuery, CheckedTemplate } from "./mapping/checked.ts";

/** A set and what is known of its scripts. Plan it only when nothing of it was an error. */
export interface CheckedSet {
  readonly set: SetModel;
  /** The same, or what it is a part of: places and routes are those of the whole. */
  readonly whole: SetModel;
  /** The schemas a stream declares of its messages. */
  declared(stream: StreamNode): DeclaredSchemas;
  /** What is known of the messages of a stream after each of its steps. */
  steps(stream: StreamNode): readonly FlowStep[];
  /** The same by their names, each once, and what the output gets. */
  namedSteps(stream: StreamNode): readonly NamedStep[];
  /** What can fail in a stream, and where the message gets to then. */
  failures(stream: StreamNode): readonly FailureFlow[];
  mapping(mapping: Mapping): CheckedMapping;
  query(query: Expression): CheckedQuery;
  template(template: Template): CheckedTemplate;
}
