import type { ComponentContext, Processor } from "../component.ts";
import { toGatewayError } from "../errors.ts";
import { createRequester } from "../http-requests.ts";
import type { Batch, Message } from "../message.ts";
import { type HttpOptions, httpDefaults } from "./generated/http-options.ts";

/**
 * Sends each message as a request, one after another, and puts the body of the reply in its place;
 * metadata stay, joined by `http_status_code` and the headers asked for. Where the last attempt fails,
 * the message goes on as it was, flagged.
 */
export function http(options: HttpOptions): Processor {
  const request = createRequester({ ...httpDefaults, ...options });

  async function replaceByReply(batch: Batch, index: number, message: Message, context: ComponentContext) {
    try {
      const { body, metadata } = await request(batch, index, context);
      return message.withBytes(body).withMetadata(new Map([...message.metadata, ...metadata]));
    } catch (error) {
      return message.withFailure(toGatewayError(error, 500, "The HTTP request could not be made"));
    }
  }

  return {
    async process(batch, context) {
      const replies: Message[] = [];
      for (const [index, message] of batch.entries()) {
        replies.push(await replaceByReply(batch, index, message, context));
      }
      return [replies];
    },
  };
}
