// A scheme of keys in, the options of the method that looks them up out.

import type { SecurityScheme } from "../../model/security.ts";
import { findText } from "../../trees/document.ts";
import type { ObjectPlan } from "../plan.ts";
import { planSources } from "./credential-sources.ts";

/** `type: apiKey`, or a bearer token that is no JWT. */
export function planAuthToken(scheme: SecurityScheme): ObjectPlan {
  const isBearer = findText(scheme.node, "type") === "http";
  const bearer = { name: "bearer", value: { kind: "Literal", value: true }, defaulted: false } as const;
  return { kind: "Object", fields: [...planSources(scheme), ...(isBearer ? [bearer] : [])] };
}
