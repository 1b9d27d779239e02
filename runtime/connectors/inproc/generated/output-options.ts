// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Writes to the channel of this name, which other streams of the gateway read. A write is confirmed when the stream that reads the message has delivered it.
 */
export type InprocOutputOptions = string;
