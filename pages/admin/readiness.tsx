// Whether the gateway is ready, beside the title of each view.

import { isAway, look } from "./gateway.ts";

/** Whether the gateway is ready, in a word. */
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
