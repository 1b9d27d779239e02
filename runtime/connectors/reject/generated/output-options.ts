// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../../component/text.ts";

/**
 * Refuses every message with this text: an HTTP caller is answered 422 with it, a broker keeps the message.
 */
export type RejectOutputOptions = Text;
