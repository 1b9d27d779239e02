import { ReasonCodes } from "mqtt";
import { GatewayError } from "../../errors.ts";

/** Reason codes of MQTT 5 for which the same message is refused every time. */
const lasting: ReadonlySet<number> = new Set([135, 144, 149, 153, 154, 155]);

/**
 * Converts a failure of the client to a `GatewayError` for callers, with the reason of the broker if it gave one,
 * otherwise with the code of the system error.
 */
export function mqttFailure(error: unknown, message: string): GatewayError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code === "number") {
    return new GatewayError(502, `${message}: ${reasonText(code)}`, {
      cause: error,
      retryable: !lasting.has(code),
    });
  }
  return new GatewayError(502, typeof code === "string" ? `${message} (${code})` : message, { cause: error });
}

/** Returns a reason code in words: `Not authorized (135)`. */
export function reasonText(code: number): string {
  const known: Readonly<Record<number, string>> = ReasonCodes;
  return `${known[code] ?? "Unknown reason"} (${code})`;
}
