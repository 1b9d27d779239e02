// What Redis can carry: keys, channels and commands.

import { redisCommand, redisKey } from "../../generated/formats.ts";
import { type CheckText, checkText } from "../../grammar/computed-text.ts";

/** Judges the key, channel or stream that `field` computes: halves of characters would all become the same bytes. */
export function keyCheck(field: string): CheckText {
  return checkText(field, redisKey);
}

/** Judges a computed command: none may block the connection that all messages share, or change what it means. */
export function commandCheck(): CheckText {
  return checkText("command", redisCommand);
}
