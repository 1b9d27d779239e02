import type { Input, InputContext } from "../../component.ts";
import { LostConnections } from "../../lost-connections.ts";
import type { BrokerInputOptions } from "./generated/input-options.ts";

/**
 * Reads all inputs at once and hands on what any of them has; there is no order between them. Each
 * acknowledges its own messages.
 */
export function brokerInput({ inputs }: BrokerInputOptions): Input {
  return {
    endpoints: inputs.flatMap((input) => input.endpoints ?? []),
    async start(context) {
      const blocked = new Set<Input>();
      const lost = new LostConnections(() => context.reportConnection?.(lost.reason));
      const started = await Promise.allSettled(
        inputs.map((input) => input.start(createChildContext(input, blocked, lost, context))),
      );
      const failed = started.find((outcome) => outcome.status === "rejected");
      if (failed === undefined) return;
      await closeAll(inputs);
      throw failed.reason;
    },
    close: () => closeAll(inputs),
  };
}

/** The stream is held up while any of its inputs is, and has failed while any has lost its connection. */
function createChildContext(
  input: Input,
  blocked: Set<Input>,
  lost: LostConnections,
  context: InputContext,
): InputContext {
  return {
    ...context,
    reportConnection: lost.reporter(context.signal),
    reportBlocked(isBlocked) {
      const before = blocked.size > 0;
      if (isBlocked) blocked.add(input);
      else blocked.delete(input);
      if (before !== blocked.size > 0) context.reportBlocked(blocked.size > 0);
    },
  };
}

async function closeAll(inputs: readonly Input[]): Promise<void> {
  await Promise.all(inputs.map((input) => input.close()));
}
