// Blocks of the gateway part that are a protection as they stand in, those protections out.

import type { ApiModel } from "../../model/api.ts";
import type { WrittenBlock } from "../../model/written.ts";
import type { ProtectionName, ProtectionPlan } from "../plan.ts";
import { planField, planObject, type ScriptPlanner } from "../plan-field.ts";

/** Addresses that may call. */
export function planIpAccess({ blocks }: ApiModel, scripts: ScriptPlanner): ProtectionPlan | undefined {
  return planBlock("ip_access", blocks.ipAccess, scripts);
}

/** Certificates that callers have to show. */
export function planClientCertificates(
  { blocks }: ApiModel,
  scripts: ScriptPlanner,
): ProtectionPlan | undefined {
  return planBlock("client_certificates", blocks.clientCertificates, scripts);
}

/** The largest body. */
export function planRequestSize({ blocks }: ApiModel, scripts: ScriptPlanner): ProtectionPlan | undefined {
  return planBlock("request_size", blocks.requestSize, scripts);
}

/** Until when it is served. */
export function planExpiration({ expiration }: ApiModel, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const time = expiration?.field;
  if (expiration === undefined || time === undefined) return undefined;
  return {
    name: "expiration",
    origin: { span: time.span, path: `x-gw-api-gateway.${expiration.path}` },
    options: {
      kind: "Object",
      fields: [{ name: "at", value: planField(time, scripts), defaulted: false }],
    },
  };
}

function planBlock(
  name: ProtectionName,
  block: WrittenBlock | undefined,
  scripts: ScriptPlanner,
): ProtectionPlan | undefined {
  if (block?.fields === undefined || block.isOff) return undefined;
  const origin = { span: block.fields.span, path: `x-gw-api-gateway.${block.path}` };
  return { name, origin, options: planObject(block.fields, scripts) };
}
