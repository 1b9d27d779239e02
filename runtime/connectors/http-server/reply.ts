// What a producer is answered once its messages are confirmed.

import { type IncomingMessage, type ServerResponse, validateHeaderValue } from "node:http";
import type { Delivered } from "../../component/component.ts";
import { textOf } from "../../component/text.ts";
import { GatewayError, toGatewayError } from "../../errors.ts";
import type { Batch, Message } from "../../message/message.ts";
import { contentHeaders, contentTypeOf, filterMetadata } from "../../message/metadata.ts";
import { printMultipart } from "../../message/multipart.ts";
import { fieldValue } from "../../text/utf8.ts";
import { isInert } from "./content-types.ts";
import type { HttpServerInputOptions } from "./generated/input-options.ts";

/** Answers the caller; gives back why it cannot, and has then answered nothing. */
export type Replier = (response: ServerResponse, delivered: Delivered) => GatewayError | undefined;

/** Of the connection, or of how the answer is framed: a document cannot set these either. */
const ownHeaders = new Set(["connection", "content-length", "keep-alive", "transfer-encoding", "upgrade"]);

/**
 * 200 with nothing where the stream makes no response; else its one message, or all of them as `multipart/mixed`,
 * with status and headers as `settings` say, which see the first message.
 */
export function createReplier(settings: NonNullable<HttpServerInputOptions["sync_response"]> = {}): Replier {
  return (response, { response: messages = [] }) => {
    if (response.destroyed) return undefined;
    if (messages.length === 0) {
      response.writeHead(200, { "content-length": "0", "x-content-type-options": "nosniff" }).end();
      return undefined;
    }
    try {
      const { type, body } = contentOf(messages, response.req);
      const headers = {
        ...metadataHeaders(settings, messages),
        "content-type": fieldValue(type),
        ...writtenHeaders(settings, messages),
      };
      const status = statusOf(settings, messages);
      const hasBody = status !== 204 && status !== 304;
      response.writeHead(status, {
        ...headers,
        ...(hasBody && { "content-length": String(body.byteLength) }),
        "x-content-type-options": "nosniff",
      });
      response.end(hasBody ? body : undefined);
      return undefined;
    } catch (error) {
      return toGatewayError(error, 502, "The response cannot be sent");
    }
  };
}

type Settings = NonNullable<HttpServerInputOptions["sync_response"]>;

function statusOf({ status = "200" }: Settings, messages: Batch): number {
  const text = textOf(status, messages, 0).trim();
  if (!/^[2-5]\d\d$/.test(text)) throw new GatewayError(502, "The status of the response is none of HTTP");
  return Number(text);
}

function writtenHeaders({ headers = {} }: Settings, messages: Batch): Readonly<Record<string, string>> {
  const written: Record<string, string> = {};
  for (const [name, text] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (!ownHeaders.has(key)) written[key] = checked(name, textOf(text, messages, 0));
  }
  return written;
}

function metadataHeaders({ metadata_headers: passes }: Settings, messages: Batch): Record<string, string> {
  const [first] = messages;
  if (passes === undefined || first === undefined) return {};
  const passed = filterMetadata(first, passes).filter(([name]) => isHeaderName(name));
  return Object.fromEntries(passed.map(([name, value]) => [name.toLowerCase(), checked(name, value)]));
}

/** Metadata come under all kinds of names; those of no header are left out. */
function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !contentHeaders.has(name.toLowerCase());
}

function checked(name: string, text: string): string {
  const value = fieldValue(text);
  try {
    validateHeaderValue(name, value);
    return value;
  } catch {
    throw new GatewayError(
      502,
      `The header ${name} of the response holds characters that headers cannot hold`,
    );
  }
}

function contentOf(
  messages: Batch,
  request: IncomingMessage,
): { readonly type: string; readonly body: Uint8Array } {
  const [first, ...others] = messages;
  if (first !== undefined && others.length === 0)
    return { type: typeOf(first, request), body: first.bytes() };
  const parts = messages.map((message) => ({
    headers: [["Content-Type", typeOf(message, request)] as const],
    content: message.bytes(),
  }));
  const { boundary, body } = printMultipart(parts);
  return { type: `multipart/mixed; boundary=${boundary}`, body };
}

/**
 * The type of a message. One that the caller gave its own body is not repeated where browsers would run what is in it:
 * a page elsewhere can have a browser send such a body, and would have it run as a page of the gateway.
 */
function typeOf(message: Message, { headers }: IncomingMessage): string {
  const type = contentTypeOf(message);
  const given = headers["content-type"] ?? "";
  const isGiven = type === given || /^multipart\//i.test(given);
  return isGiven && !isInert(type) ? "application/octet-stream" : type;
}
