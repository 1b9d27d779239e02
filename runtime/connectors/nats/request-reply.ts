// `nats_request_reply`: sends a request for each message.

import type { NatsConnection } from "@nats-io/transport-node";
import type { ComponentContext, Processor } from "../../component/component.ts";
import { openOnDemand } from "../../component/kept-open.ts";
import { textOf } from "../../component/text.ts";
import type { Message } from "../../message/message.ts";
import { filterMetadata } from "../../message/metadata.ts";
import {
  type NatsRequestReplyOptions,
  natsRequestReplyDefaults,
} from "../../processors/generated/nats-request-reply-options.ts";
import { failureFor, replaceEach } from "../../processors/replace-each.ts";
import { connectNats, disconnectNats, natsFailure } from "./client.ts";
import { checkFits, subjectCheck } from "./grammar.ts";
import { createHeaderMaker, messageFrom } from "./headers.ts";

/**
 * Replaces each message with the reply to it, one message after the other. A message without a reply continues
 * unchanged, and flagged. The connection is opened with the first message.
 */
export function natsRequestReply(options: NatsRequestReplyOptions): Processor {
  const {
    subject,
    headers,
    metadata: passes,
    timeout,
    inbox_prefix,
  } = { ...natsRequestReplyDefaults, ...options };
  const check = subjectCheck(subject);
  const makeHeaders = createHeaderMaker(headers, (batch, index) => {
    const message = batch[index];
    return message === undefined || passes === undefined ? [] : filterMetadata(message, passes);
  });
  const opened = openOnDemand(
    (context: ComponentContext) => connectNats(options, context, inbox_prefix),
    disconnectNats,
  );

  async function ask(message: Message, context: ComponentContext): Promise<Message> {
    // Like the reference, computes the fields of each message as if it were alone in its batch.
    const to = check(textOf(subject, [message], 0));
    const content = message.bytes();
    const made = makeHeaders([message], 0);
    const connection = await opened.open(context);
    checkFits(connection, content, made);
    const reply = await request(connection, to, content, {
      timeout,
      ...(made !== undefined && { headers: made }),
    });
    const { metadata, failure } = messageFrom(reply, () => []);
    if (failure !== undefined) throw failure;
    return message.withBytes(reply.data).withEntries(metadata);
  }

  return {
    process: replaceEach(ask, failureFor("the request could not be sent")),
    close: () => opened.close(),
  };
}

async function request(connection: NatsConnection, ...given: Parameters<NatsConnection["request"]>) {
  try {
    return await connection.request(...given);
  } catch (error) {
    throw natsFailure(error, "NATS has no reply");
  }
}
