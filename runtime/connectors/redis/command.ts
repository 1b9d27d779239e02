// `redis`: a command for each message.

import type { Processor } from "../../component/component.ts";
import { textOf } from "../../component/text.ts";
import { MappingError } from "../../errors.ts";
import { redisLiteral } from "../../generated/formats.ts";
import { checkText } from "../../grammar/computed-text.ts";
import type { Batch } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";
import { type RedisOptions, redisDefaults } from "../../processors/generated/redis-options.ts";
import { argumentsOf, redisArgument } from "./arguments.ts";
import { askingProcessor } from "./asking.ts";
import { commandCheck, keyCheck } from "./grammar.ts";
import { permittedCommands } from "./permitted.ts";

/** Sends a command for each message and puts the reply in its place. */
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

/** The command of a message, and its arguments. */
type Compute = (batch: Batch, index: number) => readonly [command: string, values: readonly Value[]];

function byCommand(options: RedisOptions): Compute {
  const { command = "", args_mapping, allowed_commands = [], allow_wildcards = false } = options;
  const check = commandCheck();
  const judge = permittedCommands({
    // The checker wants a list where the text is not the document's; variables of requests arrive as plain texts, too.
    isWritten: typeof command === "string" && allowed_commands.length === 0,
    commands: allowed_commands,
    texts: args_mapping?.texts ?? [],
    allowsWildcards: allow_wildcards,
  });
  return (batch, index) => {
    const values = argumentsOf(args_mapping?.(batch, index));
    const name = check(textOf(command, batch, index));
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

/** The digits of a message; throws a `MappingError` where it is not an int64. */
function wholeNumber(content: Uint8Array): string {
  const text = Buffer.from(content).toString();
  const isWhole = /^[+-]?\d{1,19}$/.test(text);
  if (!isWhole || BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) {
    throw new MappingError("redis operator failed: the message is not a whole number of 64 bits");
  }
  return text;
}
