import { closeAll, endpointsOf, lagOf, startAll } from "../../children.ts";
import type { Input, InputContext } from "../../component.ts";
import { LostConnections } from "../../lost-connections.ts";
import { inputWithBatching } from "../../with-batching.ts";
import type { BrokerInputOptions } from "./generated/input-options.ts";

/**
 * Reads all inputs at once and hands on what any of them has; there is no order between them. Each
 * acknowledges its own messages, also where `batching` collects those of several. It ends when all have.
 */
export function brokerInput({ inputs, batching }: BrokerInputOptions): Input {
  const joined: Input = {
    endpoints: endpointsOf(inputs),
    isServer: inputs.every(({ isServer }) => isServer === true),
    async start(context) {
      const shared = new JoinedContext(inputs, context);
      await startAll(inputs, (input) => input.start(shared.of(input)));
    },
    close: () => closeAll(inputs),
    lag: () => lagOf(inputs),
  };
  return batching === undefined ? joined : inputWithBatching(joined, batching);
}

/** What several inputs say of themselves, as one. */
class JoinedContext {
  readonly #context: InputContext;
  readonly #lost: LostConnections;
  readonly #blocked = new Set<Input>();
  readonly #reading: Set<Input>;

  constructor(inputs: readonly Input[], context: InputContext) {
    this.#context = context;
    this.#reading = new Set(inputs);
    this.#lost = new LostConnections(() => context.reportConnection?.(this.#lost.reason));
  }

  /** The stream is held up while any of its inputs is, and has failed while any has lost its connection. */
  of(input: Input): InputContext {
    return {
      ...this.#context,
      reportConnection: this.#lost.reporter(this.#context.signal),
      reportBlocked: (isBlocked) => this.#reportBlocked(input, isBlocked),
      reportEnd: () => {
        this.#reading.delete(input);
        if (this.#reading.size === 0) this.#context.reportEnd?.();
      },
    };
  }

  #reportBlocked(input: Input, isBlocked: boolean): void {
    const before = this.#blocked.size > 0;
    if (isBlocked) this.#blocked.add(input);
    else this.#blocked.delete(input);
    const now = this.#blocked.size > 0;
    if (before !== now) this.#context.reportBlocked(now);
  }
}
