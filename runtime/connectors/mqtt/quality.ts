import { GatewayError } from "../../errors.ts";

/** Qualities of service: at most once, at least once, exactly once. */
export type Quality = 0 | 1 | 2;

/** A number of a document as quality of service. */
export function qualityOf(qos: number): Quality {
  if (qos !== 0 && qos !== 1 && qos !== 2) throw new GatewayError(500, "`qos` is 0, 1 or 2");
  return qos;
}
