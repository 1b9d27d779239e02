// Limits of an API, and callers who may have limits of their own, in; the protections that hold requests to them out.

import type { ApiModel } from "../../model/api.ts";
import type { WrittenBlock } from "../../model/written.ts";
import type { FieldNode, ObjectField } from "../../trees/api.ts";
import type { FieldPlan, ProtectionName, ProtectionPlan } from "../plan.ts";
import { planField, planObject, type ScriptPlanner } from "../plan-field.ts";
import { authenticationOrigin } from "./authentication.ts";

/** Counting requests: by the rate of the API, and by what keys say, which nobody knows before the gateway runs. */
export function planRateLimits(api: ApiModel, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const { rateLimit, uncounted } = api.blocks;
  const own = fieldsOf(rateLimit);
  const fields = own === undefined ? [] : [planned("rateLimit", own, scripts)];
  const switches = uncounted.flatMap(({ path, field }) =>
    field === undefined ? [] : [planned(path.slice(path.lastIndexOf(".") + 1), field, scripts)],
  );
  return planLimit("rate_limits", api, rateLimit, [...fields, ...switches]);
}

/** Counting what is open. */
export function planConnectionLimits(api: ApiModel, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const block = api.blocks.connectionLimit;
  return planLimit("connection_limits", api, block, planFields(block, scripts));
}

/** Counting the messages of each connection. */
export function planMessageLimits(api: ApiModel, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const block = api.blocks.messageRateLimit;
  return planLimit("message_limits", api, block, planFields(block, scripts));
}

/** It is there where the API has a limit of its own, or callers who say who they are: their keys may have some. */
function planLimit(
  name: ProtectionName,
  api: ApiModel,
  block: WrittenBlock | undefined,
  fields: readonly FieldPlan[],
): ProtectionPlan | undefined {
  const own = fieldsOf(block);
  const origin =
    block === undefined || own === undefined
      ? authenticationOrigin(api)
      : { span: own.span, path: `x-gw-api-gateway.${block.path}` };
  return origin && { name, origin, options: { kind: "Object", fields } };
}

function planFields(block: WrittenBlock | undefined, scripts: ScriptPlanner): readonly FieldPlan[] {
  const own = fieldsOf(block);
  return own === undefined ? [] : planObject(own, scripts).fields;
}

function fieldsOf(block: WrittenBlock | undefined): ObjectField | undefined {
  return block?.isOff ? undefined : block?.fields;
}

function planned(name: string, value: FieldNode, scripts: ScriptPlanner): FieldPlan {
  return { name, value: planField(value, scripts), defaulted: false };
}
