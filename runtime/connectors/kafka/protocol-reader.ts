/** An error in an answer, under Kafka's own name where it is one to be expected. */
export class AnswerError extends Error {
  readonly type: string;

  constructor(code: number) {
    const type = names.get(code) ?? `error ${code}`;
    super(type);
    this.type = type;
  }
}

const names = new Map([
  [3, "UNKNOWN_TOPIC_OR_PARTITION"],
  [14, "GROUP_LOAD_IN_PROGRESS"],
  [15, "GROUP_COORDINATOR_NOT_AVAILABLE"],
  [16, "NOT_COORDINATOR_FOR_GROUP"],
  [29, "TOPIC_AUTHORIZATION_FAILED"],
  [30, "GROUP_AUTHORIZATION_FAILED"],
]);

/** Reads an answer of Kafka's protocol, field by field, in the encoding before flexible versions. */
export class ProtocolReader {
  readonly #answer: Buffer;
  #offset = 0;

  constructor(answer: Buffer) {
    this.#answer = answer;
  }

  int8(): number {
    return this.#answer.readInt8(this.#skip(1));
  }

  int16(): number {
    return this.#answer.readInt16BE(this.#skip(2));
  }

  int32(): number {
    return this.#answer.readInt32BE(this.#skip(4));
  }

  /** `undefined` for one that is null. */
  text(): string | undefined {
    const length = this.int16();
    if (length < 0) return undefined;
    const start = this.#skip(length);
    return this.#answer.toString("utf8", start, start + length);
  }

  bytes(): Buffer | undefined {
    const length = this.int32();
    if (length < 0) return undefined;
    const start = this.#skip(length);
    return this.#answer.subarray(start, start + length);
  }

  /** As many values as the list says it has. */
  list<T>(read: () => T): T[] {
    return Array.from({ length: Math.max(0, this.int32()) }, read);
  }

  /** Throws an `AnswerError` where the answer has one here. */
  checkError(): void {
    const code = this.int16();
    if (code !== 0) throw new AnswerError(code);
  }

  #skip(length: number): number {
    const start = this.#offset;
    this.#offset += length;
    return start;
  }
}
