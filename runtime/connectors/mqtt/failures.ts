import { ReasonCodes } from "mqtt";
import { GatewayError } from "../../errors.ts";

/** Reasons of MQTT 5 for which the same message is refused again, however often it comes. */
const lasting: ReadonlySet<number> = new Set([135, 144, 149, 153, 154, 155]);

/**
 * A failure of the client as it is reported to callers: with the broker's reason where it gave one, else with the code of the
 * system's error.
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

/** A reason code in words: `Not authorized (135)`. */
export function reasonText(code: number): string {
  const known: Readonly<Record<number, string>> = ReasonCodes;
  return `${known[code] ?? "Unknown reason"} (${code})`;
}
