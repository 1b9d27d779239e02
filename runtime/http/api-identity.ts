/** What names an API, to people and to other parts of the gateway. */
export interface ApiIdentity {
  /** Unique in a gateway. */
  readonly id: string;
  readonly name?: string;
  /** Whose it is, where gateways serve several organisations. */
  readonly organisation?: string;
  /** Begins and ends with `/`. */
  readonly listenPath: string;
  /** Whether attempts to reach it have a line in the log, where the gateway writes any. */
  readonly logged?: boolean;
}
