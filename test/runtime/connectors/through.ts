import type { Input, Output } from "../../../runtime/component/component.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { batchOf, componentContext, inputContext } from "./contexts.ts";

/** Sends messages to the output and returns what the input delivers, or why one of them does not start. */
export async function through(input: Input, output: Output): Promise<string> {
  const context = inputContext();
  try {
    await output.start(componentContext());
    await input.start(context);
    await output.write(batchOf("hello"));
    const { text, confirm } = await context.deliveries.next();
    confirm();
    return text;
  } catch (error) {
    return error instanceof GatewayError ? error.message : `unknown: ${String(error)}`;
  } finally {
    await Promise.all([input.close(), output.close()]);
  }
}
