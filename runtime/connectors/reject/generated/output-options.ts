// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../../component/text.ts";

/**
 * Rejects every message with this text. An HTTP caller gets it with status 422; a broker keeps the message.
 */
export type RejectOutputOptions = Text;
