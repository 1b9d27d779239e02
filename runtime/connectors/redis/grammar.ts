// The limits of keys, channels and commands in Redis.

import { redisCommand, redisKey } from "../../generated/formats.ts";
import { type CheckText, checkText } from "../../grammar/computed-text.ts";

/**
 * Returns the check for the key, channel or stream in `field`. Lone surrogates are refused: UTF-8 would encode all of
 * them as the same bytes.
 */
export function keyCheck(field: string): CheckText {
  return checkText(field, redisKey);
}

/**
 * Returns the check for a computed command. It refuses commands that block the connection, which all messages share,
 * or change its state.
 */
export function commandCheck(): CheckText {
  return checkText("command", redisCommand);
}
