import type { ComponentContext, Processor } from "../component/component.ts";
import { toGatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import { boundaryOf, parseMultipart } from "../message/multipart.ts";
import { createCaller, type HttpCaller, type HttpReply, UnexpectedReply } from "../requests/caller.ts";
import { batchContent, describeRequest, messageContent } from "../requests/describe.ts";
import type { Requester } from "../requests/request.ts";
import { type HttpOptions, httpDefaults } from "./generated/http-options.ts";
import { throwIfStopped } from "./stopping.ts";

type Settings = HttpOptions & Required<Pick<HttpOptions, keyof typeof httpDefaults>>;

/**
 * Sends each message as a request, one after another or concurrently (`parallel`), and replaces its content by the body
 * of the response. The metadata stays, and gains `http_status_code` and the requested headers. If the last attempt
 * fails, the message continues unchanged, marked as failed, with the `http_status_code` of the response. With
 * `batch_as_multipart`, a batch is one request. Its response, split if it has several parts, replaces the whole batch.
 */
export function http(options: HttpOptions): Processor {
  const settings: Settings = { ...httpDefaults, ...options };
  const caller = createCaller(settings);
  return {
    async process(batch, context) {
      if (settings.batch_as_multipart && batch.length > 1) {
        return [await replaceBatch(batch, settings, caller, context)];
      }
      const replace = (message: Message, index: number) =>
        flaggedOnFailure([message], context, async () => {
          const request = describeRequest(settings, batch, index, messageContent(settings, batch, index));
          const reply = await caller.call(request, requesterIn(context));
          return [replaced(message, reply.body, reply)];
        });
      if (settings.parallel) return [(await Promise.all(batch.map(replace))).flat()];
      const replies: Message[] = [];
      for (const [index, message] of batch.entries()) replies.push(...(await replace(message, index)));
      return [replies];
    },
    async close() {
      caller.close();
    },
  };
}

/**
 * Sends the batch as one request. A part of the response has the metadata of the message with the same index, or of the
 * first.
 */
function replaceBatch(
  batch: Batch,
  settings: Settings,
  caller: HttpCaller,
  context: ComponentContext,
): Promise<Batch> {
  return flaggedOnFailure(batch, context, async () => {
    const request = describeRequest(settings, batch, 0, batchContent(settings, batch));
    const reply = await caller.call(request, requesterIn(context));
    const boundary = boundaryOf(reply.contentType);
    const parts = boundary === undefined ? undefined : parseMultipart(reply.body, boundary);
    const contents = parts?.map(({ content }) => content) ?? [reply.body];
    return contents.flatMap((content, index) => {
      const message = batch[index] ?? batch[0];
      return message === undefined ? [] : [replaced(message, content, reply)];
    });
  });
}

function replaced(message: Message, content: Uint8Array, { metadata }: HttpReply): Message {
  return message.withBytes(content).withEntries(metadata);
}

/**
 * The signal of a pipeline is aborted when the time to stop the stream is over, and the response is no longer needed.
 */
function requesterIn({ log, signal }: ComponentContext): Requester {
  return { log, signal, cut: signal };
}

/**
 * A failure because the stream stops says nothing about the message: the message is refused and returns to its input.
 */
async function flaggedOnFailure(
  messages: Batch,
  { signal }: ComponentContext,
  work: () => Promise<Batch>,
): Promise<Batch> {
  try {
    return await work();
  } catch (error) {
    throwIfStopped(signal);
    const failure = toGatewayError(error, 500, "The HTTP request could not be made");
    const status = failure instanceof UnexpectedReply ? [["http_status_code", failure.replied] as const] : [];
    return messages.map((message) => message.withEntries(status).withFailure(failure));
  }
}
