// `redis`: sends a command for each message. The document itself has to contain the command, and the texts that Redis
// reads as a pattern, a query or a program.

import type { Processor } from "../../component/component.ts";
import { computedLedBy, textLedBy, textOf } from "../../component/text.ts";
import { MappingError } from "../../errors.ts";
import { redisLiteral } from "../../generated/formats.ts";
import { checkText, unfit, unfitText } from "../../grammar/computed-text.ts";
import type { Batch } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";
import { type RedisOptions, redisDefaults } from "../../processors/generated/redis-options.ts";
import { argumentsOf, redisArgument } from "./arguments.ts";
import { askingProcessor } from "./asking.ts";
import { commandCheck, keyCheck } from "./grammar.ts";

/** The parts of commands that the document contains. */
interface CommandPermission {
  /** Whether the document contains the command itself, rather than a list of allowed commands. */
  readonly isWritten: boolean;
  /** The allowed commands, with or without a subcommand. */
  readonly commands: readonly string[];
  /** The texts in the arguments mapping. */
  readonly texts: readonly string[];
  readonly allowsWildcards: boolean;
}

/** Commands whose first argument is a subcommand. */
const families: ReadonlySet<string> = new Set([
  ...["acl", "cluster", "command", "config", "function", "latency", "memory", "module", "object", "pubsub"],
  ...["script", "sentinel", "slowlog", "xgroup", "xinfo", "ft.config", "ft.cursor", "json.debug"],
]);

/** Commands that take patterns, and the index of the first argument that may be one. */
const patterns: ReadonlyMap<string, number> = new Map([
  ...["keys", "scan", "pubsub", "config", "command", "function"].map((name) => [name, 0] as const),
  // The first argument is a key.
  ...["hscan", "sscan", "zscan", "sort", "sort_ro"].map((name) => [name, 1] as const),
]);

/** Commands that take a query, and the index of that argument. */
const queries: ReadonlyMap<string, number> = new Map([
  ...["ft.search", "ft.aggregate", "ft.explain", "ft.explaincli"].map((name) => [name, 1] as const),
  ...["graph.query", "graph.ro_query", "graph.explain"].map((name) => [name, 1] as const),
  ["ft.profile", 3],
]);

/** Keywords of queries that an expression follows. */
const expressions: ReadonlySet<string> = new Set(["filter", "apply"]);

/** Commands that run a program, or a stored program by name, and the index of that argument. */
const programs: ReadonlyMap<string, number> = new Map([
  ...["eval", "eval_ro", "evalsha", "evalsha_ro", "fcall", "fcall_ro"].map((name) => [name, 0] as const),
  ...["script", "function", "module"].map((name) => [name, 1] as const),
]);

/**
 * Returns a function that checks each command before it is sent, ignoring case. The function throws a `GatewayError`
 * (422) if a message or a request has chosen something that the document neither contains nor lists.
 */
function permittedCommands(
  permission: CommandPermission,
): (command: string, values: readonly Value[]) => void {
  const { isWritten, allowsWildcards } = permission;
  const listed = new Set(permission.commands.map((each) => each.toLowerCase()));
  const texts = new Set(permission.texts);
  const isOfDocument = (value: Value | undefined): boolean => typeof value === "string" && texts.has(value);

  function checkName(name: string, [first]: readonly Value[]): void {
    const isFamily = families.has(name);
    if (isFamily && listed.has(`${name} ${textOfArgument(first).toLowerCase()}`)) return;
    if (!isWritten && !listed.has(name)) throw unfitText("command", "one of `allowed_commands`");
    if (isFamily && first !== undefined && !isOfDocument(first))
      throw unfit(`The computed subcommand of \`${name}\` is not one of \`allowed_commands\``);
  }

  function checkQueries(name: string, values: readonly Value[]): void {
    const at = queries.get(name);
    if (at === undefined) return;
    for (const [index, value] of values.entries()) {
      const isExpression = index === at || expressions.has(textOfArgument(values[index - 1]).toLowerCase());
      if (isExpression && !isOfDocument(value))
        throw unfit(`The query of \`${name}\` is not written in the document`);
    }
  }

  return (command, values) => {
    const name = command.toLowerCase();
    checkName(name, values);
    const program = programs.get(name);
    if (program !== undefined && values.slice(program, program + 1).some((value) => !isOfDocument(value)))
      throw unfit(`The program of \`${name}\` is not written in the document`);
    if (allowsWildcards) return;
    checkQueries(name, values);
    const given = values.slice(patterns.get(name) ?? values.length).filter((value) => !isOfDocument(value));
    if (given.some(hasWildcards)) throw unfit(`A value for a pattern of \`${name}\` contains wildcards`);
  };
}

function textOfArgument(value: Value | undefined): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("latin1");
  return typeof value === "string" ? value : "";
}

/** Returns whether a text or bytes contain wildcards. Other values become digits and dates, which contain none. */
function hasWildcards(value: Value): boolean {
  const text = textOfArgument(value);
  return text !== "" && !redisLiteral.accepts(text);
}

/** Sends a command for each message and replaces the message with the reply. */
export function redis(options: RedisOptions): Processor {
  const { retries, retry_period } = { ...redisDefaults, ...options };
  const compute = options.operator === undefined ? byCommand(options) : byOperator(options);
  return askingProcessor({
    address: options,
    retries,
    retryPeriod: retry_period,
    prepare(batch, index) {
      const [command, values] = compute(batch, index);
      const given = values.map(redisArgument);
      return (client) => client.callBuffer(command, ...given);
    },
  });
}

/** Returns the command of a message, and its arguments. */
type Compute = (batch: Batch, index: number) => readonly [command: string, values: readonly Value[]];

function byCommand(options: RedisOptions): Compute {
  const { command = "", args_mapping, allowed_commands = [], allow_wildcards = false } = options;
  const check = commandCheck();
  const judge = permittedCommands({
    // The checker requires a list if the command is computed. Variables of requests are computed, too, but arrive as
    // plain texts.
    isWritten: typeof command === "string" && allowed_commands.length === 0,
    commands: allowed_commands,
    texts: args_mapping?.texts ?? [],
    allowsWildcards: allow_wildcards,
  });
  return (batch, index) => {
    const values = argumentsOf(computedLedBy("args mapping failed: ", () => args_mapping?.(batch, index)));
    const name = check(textLedBy("command interpolation error: ", command, batch, index));
    judge(name, values);
    return [name, values];
  };
}

function byOperator({ operator = "scard", key = "", allow_wildcards = false }: RedisOptions): Compute {
  const isPattern =
    operator === "keys" && (allow_wildcards || typeof key === "string" || key.isLiteralPattern === true);
  const check = isPattern || operator !== "keys" ? keyCheck("key") : checkText("key", redisLiteral);
  return (batch, index) => {
    const name = check(textOf(key, batch, index));
    const content = () => batch[index]?.bytes() ?? new Uint8Array();
    if (operator === "sadd") return [operator, [name, content()]];
    if (operator === "incrby") return [operator, [name, wholeNumber(content())]];
    return [operator, [name]];
  };
}

/** Returns the digits of a message; throws a `MappingError` if it is not an int64. */
function wholeNumber(content: Uint8Array): string {
  const text = Buffer.from(content).toString();
  const isWhole = /^[+-]?\d{1,19}$/.test(text);
  if (!isWhole || BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) {
    throw new MappingError("redis operator failed: the message is not a whole number of 64 bits");
  }
  return text;
}

/** Returns whether an error, or one of its causes, starts with `word`: the error code of Redis. */
export function isRefusal(error: unknown, word: string): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.startsWith(word) || isRefusal(error.cause, word);
}
