// `redis`: a command for each message.

import type { Processor } from "../../component/component.ts";
import { textOf } from "../../component/text.ts";
import { MappingError } from "../../errors.ts";
import { unfitText } from "../../grammar/computed-text.ts";
import type { Batch } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";
import { type RedisOptions, redisDefaults } from "../../processors/generated/redis-options.ts";
import { argumentsOf, redisArgument } from "./arguments.ts";
import { askingProcessor } from "./asking.ts";
import { commandCheck, keyCheck } from "./grammar.ts";

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

function byCommand({ command = "", args_mapping, allowed_commands = [] }: RedisOptions): Compute {
  const check = commandCheck();
  const allowed = new Set(allowed_commands.map((each) => each.toLowerCase()));
  return (batch, index) => {
    const values = argumentsOf(args_mapping?.(batch, index));
    const name = check(textOf(command, batch, index));
    // What a message computes could be any command; the text of a document is its author's.
    if (typeof command !== "string" && !allowed.has(name.toLowerCase())) {
      throw unfitText("command", "one of `allowed_commands`");
    }
    return [name, values];
  };
}

function byOperator({ operator = "scard", key = "" }: RedisOptions): Compute {
  const check = keyCheck("key");
  return (batch, index) => {
    const name = check(textOf(key, batch, index));
    const content = () => batch[index]?.bytes() ?? new Uint8Array();
    if (operator === "sadd") return [operator, [name, content()]];
    if (operator === "incrby") return [operator, [name, wholeNumber(content())]];
    return [operator, [name]];
  };
}

/** The digits of a message; throws a `MappingError` where it is no int64. */
function wholeNumber(content: Uint8Array): string {
  const text = Buffer.from(content).toString();
  const isWhole = /^[+-]?\d{1,19}$/.test(text);
  if (!isWhole || BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) {
    throw new MappingError("redis operator failed: the message is not a whole number of 64 bits");
  }
  return text;
}
