import type { ComponentContext, Delivered, Output } from "../../component/component.ts";
import { joinFailures } from "../../component/outcomes.ts";
import { failedMessages } from "../../component/unfit-messages.ts";
import { abort } from "../../concurrency/abort.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { GatewayError, toGatewayError } from "../../errors.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import { type Batch, Message } from "../../message/message.ts";
import { createCaller, type HttpCaller, type HttpReply } from "../../requests/caller.ts";
import { batchContent, describeRequest, messageContent } from "../../requests/describe.ts";
import type { OutgoingRequest } from "../../requests/request.ts";
import { type HttpClientOutputOptions, httpClientOutputDefaults } from "./generated/output-options.ts";

/**
 * Sends each message as a request; a reply of 200 to 299 confirms it. The messages of a batch are sent one after
 * another until a failure that may pass; the failure names those that are not confirmed. Or they are sent together as the parts of one request
 * (`batch_as_multipart`). Up to `max_in_flight` batches are sent in parallel, so only 1 keeps their order.
 */
export function httpClientOutput(options: HttpClientOutputOptions): Output {
  const settings = { ...httpClientOutputDefaults, ...options };
  const inFlight = new Semaphore(settings.max_in_flight);
  const closing = new AbortController();
  let started: { readonly context: ComponentContext; readonly caller: HttpCaller } | undefined;

  function requestsOf(batch: Batch): readonly OutgoingRequest[] {
    const isOne = settings.batch_as_multipart && batch.length > 1;
    return prepareAll(isOne ? batch.slice(0, 1) : batch, (_, index) => {
      const content = isOne ? batchContent(settings, batch) : messageContent(settings, batch, index);
      return describeRequest(settings, batch, index, content);
    });
  }

  async function sendAll(batch: Batch, context: ComponentContext, caller: HttpCaller): Promise<Delivered> {
    const requests = requestsOf(batch);
    const response: Message[] = [];
    const requester = { log: context.log, signal: closing.signal, cut: context.signal };
    const failures: GatewayError[] = [];
    for (const [index, request] of requests.entries()) {
      try {
        const reply = await caller.call(request, requester);
        if (settings.propagate_response) response.push(messageOf(reply));
      } catch (error) {
        if (requests.length === 1) throw error;
        const failure = toGatewayError(error, 500, "Internal error");
        // A server that cannot answer now would not answer those behind it either.
        const isOver = failure.retryable;
        failures.push(failedMessages(batch.slice(index, isOver ? batch.length : index + 1), failure));
        if (isOver) break;
      }
    }
    if (failures.length > 0) throw joinFailures(failures);
    return settings.propagate_response ? { response } : {};
  }

  return {
    async start(context) {
      started = { context, caller: createCaller(settings) };
    },
    async write(batch) {
      if (closing.signal.aborted || started === undefined)
        throw new GatewayError(503, "The HTTP client is closed");
      const { context, caller } = started;
      return inFlight.use(() => sendAll(batch, context, caller));
    },
    async close() {
      abort(closing); // ends pauses; an attempt in progress is finished unless the stream's time is over
      await inFlight.idle();
      started?.caller.close();
    },
  };
}

/** Converts a reply to the response for the caller of the stream, with its content type. */
function messageOf({ body, contentType, metadata }: HttpReply): Message {
  const type = contentType === "" ? [] : [["Content-Type", contentType] as const];
  return Message.fromBytes(body, new Map([...metadata, ...type]));
}
