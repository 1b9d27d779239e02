import { preparationOf, sequencesOf } from "../../component/children.ts";
import type { Input } from "../../component/component.ts";
import { GatewayError } from "../../errors.ts";
import { contextAt, noteFailure, startAt } from "../../failures/place.ts";
import type { BufferedInputOptions } from "./generated/input-options.ts";

/** Puts a buffer behind an input. The buffer decides when a batch may be acknowledged. */
export function bufferedInput({ child, buffer }: BufferedInputOptions): Input {
  return {
    ...(child.endpoints && { endpoints: child.endpoints }),
    isServer: child.isServer === true,
    ...preparationOf([child]),
    ...sequencesOf([child]),
    async start(context) {
      await buffer.open(contextAt(context, buffer));
      const { collectors: _, ...shared } = context;
      await startAt(child, {
        ...shared,
        ...(buffer.collectors && { collectors: buffer.collectors }),
        deliver: (batch) =>
          buffer.write(batch).catch((error: unknown) => {
            if (error instanceof GatewayError) noteFailure(error, buffer);
            throw error;
          }),
        reportEnd: () => void buffer.idle().then(() => context.reportEnd?.()),
      });
    },
    async close() {
      buffer.stop?.();
      await child.close();
      await buffer.close();
    },
    lag: () => child.lag?.(),
  };
}
