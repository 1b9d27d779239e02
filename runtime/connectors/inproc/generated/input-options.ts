// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Reads the channel of this name, which other streams of the gateway write to. A write is confirmed when this stream has delivered the message.
 */
export type InprocInputOptions = string;
