/** What names an API, to people and to other parts of the gateway. */
export interface ApiIdentity {
  /** Unique in a gateway. */
  readonly id: string;
  readonly name?: string;
  /** Begins and ends with `/`. */
  readonly listenPath: string;
}
