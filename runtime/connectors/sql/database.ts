// What components need of a database, whichever it is.

import type { ComponentContext } from "../../component/component.ts";
import { GatewayError } from "../../errors.ts";
import type { ObjectValue, Value } from "../../message/value.ts";

/** How documents say where a database is and how to prepare it. */
export interface SqlAddress {
  readonly dsn: string;
  readonly init_files?: readonly string[];
  readonly init_statement?: string;
  readonly conn_max_idle_time?: number;
  readonly conn_max_life_time?: number;
  readonly conn_max_open?: number;
}

/** Where statements run. Each rejects with a `GatewayError`: 422 where the data is at fault, 502 otherwise. */
export interface SqlSession {
  /** The rows of one statement; `args` are bound, never part of its text. */
  query(statement: string, args: readonly Value[]): Promise<readonly ObjectValue[]>;
}

/** A database that is connected. */
export interface SqlDatabase extends SqlSession {
  /** The rows one after the other, so that they need not fit into memory. */
  rows(statement: string, args: readonly Value[]): AsyncGenerator<ObjectValue>;
  /** Runs `work`, which takes effect as a whole, or not at all where it rejects. */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /** Runs a text of several statements. */
  script(text: string): Promise<void>;
  /** The text of a parameter, counted from 1. */
  placeholder(number: number): string;
  close(): Promise<void>;
}

/** Connects; rejects with a `GatewayError` where that is not possible now. */
export type OpenDatabase = (address: SqlAddress, context: ComponentContext) => Promise<SqlDatabase>;

/**
 * A failure of a statement. Documents read by `error()` what the database said; callers and operators read its code, as the
 * text may quote the data.
 */
export function refused(code: string, error: Error, isDataAtFault: boolean): GatewayError {
  const answer = `The database refused the statement (${code})`;
  return new GatewayError(isDataAtFault ? 422 : 502, error.message, {
    cause: error,
    answer,
    retryable: !isDataAtFault,
  });
}

/** `text` with each `?` replaced by the placeholder of its number; `??` is a question mark. Those in quotes stay. */
export function withPlaceholders(text: string, placeholder: (number: number) => string): string {
  let number = 0;
  return text.replace(/'(?:[^']|'')*'|"[^"]*"|\?\??/g, (found) => {
    if (!found.startsWith("?")) return found;
    if (found === "??") return "?";
    number += 1;
    return placeholder(number);
  });
}
