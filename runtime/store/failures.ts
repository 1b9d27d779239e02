// Interprets failures of databases.

import { GatewayError } from "../errors.ts";

/** Codes for duplicates of a unique value: SQLite's two (primary key, unique) and PostgreSQL's. */
const duplicateCodes: ReadonlySet<unknown> = new Set([1555, 2067, "23505"]);

/** Whether a statement failed because a unique value already exists. */
export function isDuplicate(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  return (
    ("errcode" in error && duplicateCodes.has(error.errcode)) ||
    ("code" in error && duplicateCodes.has(error.code))
  );
}

/** Whether PostgreSQL cancelled a transaction because another one has changed a row since its snapshot. */
export function isConflict(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === "40001";
}

/**
 * Codes of a database that responds but accepts no writes: those of SQLite (read-only, I/O error, full disk), by their
 * lowest byte, and those of PostgreSQL (full disk, read-only).
 */
const unwritableCodes: ReadonlySet<unknown> = new Set([8, 10, 13, "53100", "25006"]);

/** Returns the reason why a database accepts no writes; `undefined` for any other failure. */
export function unwritableReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = "errcode" in error ? Number(error.errcode) & 0xff : "code" in error ? error.code : undefined;
  return unwritableCodes.has(code) ? error.message : undefined;
}

/** Returns why a database cannot be opened, in its own words. Those of PostgreSQL may quote its address. */
export function openingReason(error: unknown): string {
  // The message of SQLITE_CANTOPEN does not mention the folder.
  if (error instanceof Error && "errcode" in error && error.errcode === 14)
    return `${error.message}; its folder has to exist and to be writable`;
  return error instanceof Error ? error.message : String(error);
}

/** Returns a failure as it is reported to callers. The database's message is only logged. */
export function storeFailure(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  // PostgreSQL cannot store U+0000 in texts, so the request contains a text that cannot be stored.
  if (typeof error === "object" && error !== null && "code" in error && error.code === "22021") {
    return new GatewayError(422, "A string contains a character that cannot be stored", { cause: error });
  }
  return new GatewayError(503, "The store is not available", { cause: error, retryAfter: 1 });
}
