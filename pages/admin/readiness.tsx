// Shows next to the title of each view whether the gateway is ready.

import { isAway, look } from "./gateway.ts";

/** A badge that shows whether the gateway is ready. */
export function Readiness() {
  const reasons = look.value?.readiness.reasons ?? [];
  const isKnown = look.value !== undefined || isAway.value;
  const text = isAway.value
    ? "The gateway does not answer"
    : !isKnown
      ? "Asking the gateway …"
      : reasons.length === 0
        ? "Ready"
        : "Not ready";
  const tone = !isKnown ? "plain" : text === "Ready" ? "good" : "bad";
  return (
    <span id="ready" role="status" class={`badge ${tone}`}>
      {text}
    </span>
  );
}
