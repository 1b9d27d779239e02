import { RE2JS } from "re2js";
import type { Input } from "../../component/component.ts";
import type { Amqp09InputOptions } from "./generated/input-options.ts";
import { amqp09Input } from "./input.ts";

/** Like `amqp09Input`, but classifies failures by patterns, which requires a library. */
export function rejectingAmqp09Input({ nack_reject_patterns = [], ...options }: Amqp09InputOptions): Input {
  const patterns = nack_reject_patterns.map((pattern) => RE2JS.compile(pattern));
  return amqp09Input(options, (text) => patterns.some((pattern) => pattern.matcher(text).find()));
}
