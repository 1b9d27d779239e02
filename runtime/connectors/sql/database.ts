// The interface of databases for components.

import type { ComponentContext } from "../../component/component.ts";
import { GatewayError } from "../../errors.ts";
import type { ObjectValue, Value } from "../../message/value.ts";

/** The address of a database and how to prepare it, as documents have them. */
export interface SqlAddress {
  readonly dsn: string;
  readonly init_files?: readonly string[];
  readonly init_statement?: string;
  readonly conn_max_idle_time?: number;
  readonly conn_max_life_time?: number;
  readonly conn_max_open?: number;
}

/** Runs statements. Each rejects with a `GatewayError`: 422 if the data is at fault, 502 otherwise. */
export interface SqlSession {
  /** Returns the rows of one statement. `args` are bound as parameters, and never become part of its text. */
  query(statement: string, args: readonly Value[]): Promise<readonly ObjectValue[]>;
}

/** A connected database. */
export interface SqlDatabase extends SqlSession {
  /** Returns the rows one after the other, so that they need not fit into memory. */
  rows(statement: string, args: readonly Value[]): AsyncGenerator<ObjectValue>;
  /** Runs `work` in a transaction, which is rolled back if `work` rejects. */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /** Runs a text with several statements. */
  script(text: string): Promise<void>;
  /** Returns the placeholder of a parameter; `number` counts from 1. */
  placeholder(number: number): string;
  close(): Promise<void>;
}

/** Connects; rejects with a `GatewayError` if that is not possible now. */
export type OpenDatabase = (address: SqlAddress, context: ComponentContext) => Promise<SqlDatabase>;

/**
 * Returns the failure of a statement. Documents read the database's message with `error()`. Callers and operators see
 * only its code, as the message may quote the data.
 */
export function refused(code: string, error: Error, isDataAtFault: boolean): GatewayError {
  const answer = `The database refused the statement (${code})`;
  return new GatewayError(isDataAtFault ? 422 : 502, error.message, {
    cause: error,
    answer,
    retryable: !isDataAtFault,
  });
}

/**
 * Replaces each `?` in `text` by the placeholder of its number, and `??` by a question mark.
 * Quoted ones stay unchanged.
 */
export function withPlaceholders(text: string, placeholder: (number: number) => string): string {
  let number = 0;
  return text.replace(/'(?:[^']|'')*'|"[^"]*"|\?\??/g, (found) => {
    if (!found.startsWith("?")) return found;
    if (found === "??") return "?";
    number += 1;
    return placeholder(number);
  });
}
