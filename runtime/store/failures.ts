// What a failure of a database means.

import { GatewayError } from "../errors.ts";

/** Codes of a value that is there already: SQLite's two (primary key, unique) and PostgreSQL's. */
const duplicateCodes: ReadonlySet<unknown> = new Set([1555, 2067, "23505"]);

/** Whether a statement failed because a value that must be unique is there already. */
export function isDuplicate(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  return (
    ("errcode" in error && duplicateCodes.has(error.errcode)) ||
    ("code" in error && duplicateCodes.has(error.code))
  );
}

/**
 * Codes of a database that answers and takes no writes: SQLite's (read-only, failed input or output, full disk), by their lowest
 * byte, and PostgreSQL's (full disk, read-only).
 */
const unwritableCodes: ReadonlySet<unknown> = new Set([8, 10, 13, "53100", "25006"]);

/** Why a database takes no writes at all; `undefined` for any other failure. */
export function unwritableReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = "errcode" in error ? Number(error.errcode) & 0xff : "code" in error ? error.code : undefined;
  return unwritableCodes.has(code) ? error.message : undefined;
}

/** A failure as it is reported to callers: the store is at fault, its message is for the log. */
export function storeFailure(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  // PostgreSQL keeps no U+0000 in texts: what was asked cannot be kept, or is not there.
  if (typeof error === "object" && error !== null && "code" in error && error.code === "22021") {
    return new GatewayError(422, "A text has a character that cannot be kept", { cause: error });
  }
  return new GatewayError(503, "The store is not available", { cause: error, retryAfter: 1 });
}
