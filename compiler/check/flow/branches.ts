// Processors that work on a copy of the message, and merge what came of it into the message.

import { descriptorOf } from "../../../schemas/component.ts";
import { hasUnread, nestedComponents } from "../../model/components.ts";
import type { ComponentNode, FieldNode } from "../../trees/api.ts";
import { findField } from "../../trees/fields.ts";
import { walk } from "../../trees/walk.ts";
import { anyMessage } from "../../value-types/type.ts";
import { componentsIn, mappingIn } from "./children.ts";
import type { StreamFailure } from "./failures/stream-failure.ts";
import type { ComponentGroup } from "./groups.ts";
import { joinMessages } from "./message.ts";
import { type Effect, messageAt, type Passing, passStep } from "./passing.ts";
import { passMapping } from "./scripts.ts";

/** `branch` */
export function passBranch(group: ComponentGroup): Passing {
  return passStep(group.at, branchEffect(group.component.config, group));
}

/** The side message goes through its processors; the result map sees it as `this`, the original as `root`. */
function branchEffect(config: FieldNode, { component, at, context, pass }: ComponentGroup): Effect {
  const origin = messageAt(at);
  const request = mappingIn(config, "request_map");
  const side = request && passMapping(request, { component, at, context });
  // A script that could not be read, or under a misspelt name, would make something else of the message.
  const otherwise = hasUnread(config) ? anyMessage : origin;
  const entering: Passing = { well: side?.message ?? otherwise, flagged: undefined };
  const outcome = pass(componentsIn(config, "processors"), entering, context);
  const result = mappingIn(config, "result_map");
  const merged = result && passMapping(result, { component, at: outcome, context }, origin);
  const message = merged?.message ?? otherwise;
  // A map that deletes leaves the message as it is.
  const isSkipped = [request, result].some((map) => map !== undefined && mayDelete(map));
  return {
    message: isSkipped && message !== origin ? joinMessages([message, origin]) : message,
    failures: [
      ...miscounts(component, config),
      ...(side?.failures ?? []),
      ...(outcome.flagged?.failures ?? []),
      ...(merged?.failures ?? []),
    ],
  };
}

/**
 * `workflow`: branches in an order of their own, each of which may see what others have merged. What they fail on is
 * written into the document, unless there is no place for it: then the message is flagged.
 */
export function passWorkflow(group: ComponentGroup): Passing {
  const { component, at, context } = group;
  const { config, nameSpan } = component;
  const inside: Passing = {
    well: at.well && anyMessage,
    flagged: at.flagged && { ...at.flagged, message: anyMessage },
  };
  const branches = findField(config, "branches");
  const fields = branches?.kind === "Object" ? branches.fields : [];
  const failures = fields.flatMap(({ value }) => branchEffect(value, { ...group, at: inside }).failures);
  const path = findField(config, "meta_path");
  if (path?.kind === "Literal" && path.value === "") return passStep(at, { message: anyMessage, failures });
  context.failures.reach(failures, { kind: "handled", by: component });
  const unwritten: StreamFailure = { component, span: nameSpan, reason: "the message may not be JSON" };
  return passStep(at, { message: anyMessage, failures: [unwritten] });
}

/** The failure of a `branch`, described by `config`, whose processors may not keep the number of messages. */
function miscounts(component: ComponentNode, config: FieldNode): readonly StreamFailure[] {
  const isSure = !nestedComponents(config).some(mayChangeCount);
  if (isSure) return [];
  return [
    { component, span: component.nameSpan, reason: "its processors may change the number of messages" },
  ];
}

function mayChangeCount({ descriptor, config }: ComponentNode): boolean {
  const processor = descriptorOf("processor", { descriptor });
  if (processor === undefined || processor.changesCount === true || mayDelete(config)) return true;
  // Branches see to the number of the messages inside them.
  const isSideways = processor.flow.kind === "branch" || processor.flow.kind === "workflow";
  return !isSideways && nestedComponents(config).some(mayChangeCount);
}

/** Whether a field is a mapping that may delete the message: it says `deleted()`, but not of a field or of metadata, or imports. */
function mayDelete(config: FieldNode): boolean {
  if (config.kind !== "Mapping") return false;
  let found = config.mapping.from !== undefined;
  walk(config.mapping, {
    Assign: ({ target }) => target.length === 0,
    MetaAssign: () => false,
    FunctionCall({ name }) {
      if (name.text === "deleted") found = true;
    },
    Import() {
      found = true;
    },
  });
  return found;
}
