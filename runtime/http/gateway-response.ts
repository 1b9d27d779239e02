// A response to which the chain adds headers before the answer.

import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from "node:http";

type Fields = Readonly<Record<string, string>>;

/**
 * Keeps what the chain tells until the head is written, and then writes both at once: setting headers one by one has Node
 * check and copy all of them again, which costs as much as the rest of an answer.
 */
export class GatewayResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
  #told: Fields | undefined = undefined;

  /** Adds headers, whose names are in lower case; who answers may give them other values. */
  tell(fields: Fields): void {
    this.#told = this.#told === undefined ? fields : { ...this.#told, ...fields };
  }

  /** Also of what was told. */
  override getHeader(name: string): number | string | string[] | undefined {
    return super.getHeader(name) ?? this.#told?.[name.toLowerCase()];
  }

  override writeHead(
    status: number,
    reason?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    const told = this.#told;
    if (told === undefined || typeof reason === "string" || Array.isArray(reason)) {
      for (const name in told) this.setHeader(name, told[name] ?? "");
      return typeof reason === "string"
        ? super.writeHead(status, reason, headers)
        : super.writeHead(status, reason);
    }
    return super.writeHead(status, { ...told, ...reason });
  }
}

/** Adds headers to an answer that has not begun; their names are in lower case. */
export function tellInAnswer(response: ServerResponse, fields: Fields): void {
  if (response instanceof GatewayResponse) response.tell(fields);
  else for (const [name, value] of Object.entries(fields)) response.setHeader(name, value);
}
