// What a producer is answered once its messages are confirmed.

import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Delivered } from "../../component.ts";
import type { Batch, Message } from "../../message.ts";
import { findMetadata } from "../../metadata.ts";

const unknownType = "application/octet-stream";

/** 200: empty, the one message of the stream's response, or all of them as `multipart/mixed`. */
export function reply(response: ServerResponse, { response: messages = [] }: Delivered): void {
  if (response.destroyed) return;
  const [first, ...others] = messages;
  if (first === undefined) response.writeHead(200, { "content-length": "0" }).end();
  else if (others.length === 0) answerWith(response, contentTypeOf(first), first.bytes());
  else {
    const boundary = randomUUID();
    answerWith(response, `multipart/mixed; boundary=${boundary}`, printMultipart(messages, boundary));
  }
}

/** The content type a message travels with, safe to be put in a header. */
export function contentTypeOf(message: Message): string {
  const type = findMetadata(message.metadata, "Content-Type");
  return type !== undefined && /^[\x20-\x7e]+$/.test(type) ? type : unknownType;
}

function answerWith(response: ServerResponse, type: string, body: Uint8Array): void {
  const headers = {
    "content-type": type,
    "content-length": String(body.byteLength),
    "x-content-type-options": "nosniff",
  };
  response.writeHead(200, headers).end(body);
}

function printMultipart(messages: Batch, boundary: string): Buffer {
  const parts = messages.flatMap((message) => [
    Buffer.from(`--${boundary}\r\nContent-Type: ${contentTypeOf(message)}\r\n\r\n`),
    message.bytes(),
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
}
