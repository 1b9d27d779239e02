// Reads JSON from an address that does not come from the configuration.

import { Agent, type IncomingMessage, get as plainGet } from "node:http";
import { Agent as EncryptedAgent, get as encryptedGet } from "node:https";
import { isIP } from "node:net";
import { Pieces } from "../process/memory/body-budget.ts";
import { asBuffer } from "../text/utf8.ts";
import { ClosedTargetError, closedTarget, hostOf, isPublic, publicLookup } from "./public-addresses.ts";

/** A request for JSON. */
export interface OutsideQuestion {
  /** An `https` address, or also `http` if private addresses are allowed. */
  readonly url: string;
  /** Whether the address may be one that is not public. */
  readonly allowPrivate: boolean;
  /** The most bytes of the response. */
  readonly longest: number;
  /** The timeout of the whole request, in milliseconds. */
  readonly patience: number;
  /** Ends the request early. */
  readonly signal: AbortSignal;
}

/** Why there is no result, for the author of the address: it reveals nothing about the network behind the gateway. */
export class OutsideError extends Error {
  override readonly name = "OutsideError";
}

/**
 * Sends a GET request and resolves with the JSON of the response. Follows no redirects and connects only to public
 * addresses, unless others are allowed. Rejects with an `OutsideError`.
 */
export async function readOutsideJson(question: OutsideQuestion): Promise<unknown> {
  const url = URL.parse(question.url);
  const schemes = question.allowPrivate ? /^https?:$/ : /^https:$/;
  if (url === null || !schemes.test(url.protocol)) throw new OutsideError("it is not an address of https");
  if (url.username !== "" || url.password !== "") throw new OutsideError("it holds a user or password");
  const host = hostOf(url);
  if (!question.allowPrivate && isIP(host) !== 0 && !isPublic(host)) throw new OutsideError(closedTarget);
  const late = AbortSignal.timeout(question.patience);
  try {
    const text = await readText(url, host, question, AbortSignal.any([question.signal, late]));
    return JSON.parse(text);
  } catch (error) {
    if (late.aborted) throw new OutsideError(`it did not answer within ${question.patience} ms`);
    throw error instanceof OutsideError ? error : new OutsideError(reasonOf(error));
  }
}

function readText(
  url: URL,
  host: string,
  { allowPrivate, longest }: OutsideQuestion,
  signal: AbortSignal,
): Promise<string> {
  const isEncrypted = url.protocol === "https:";
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const options = {
    host,
    port: url.port || (isEncrypted ? 443 : 80),
    path: url.pathname + url.search,
    headers: { accept: "application/json", host: url.host },
    // Uses one connection, which ends with the response.
    agent: isEncrypted ? new EncryptedAgent() : new Agent(),
    ...(isIP(host) === 0 && { servername: host }),
    ...(!allowPrivate && { lookup: publicLookup() }),
    signal,
  };
  const outgoing = (isEncrypted ? encryptedGet : plainGet)(options, (answer: IncomingMessage) => {
    if (answer.statusCode !== 200) {
      reject(new OutsideError(`it answered with status ${answer.statusCode}`));
      answer.destroy();
      return;
    }
    const pieces = new Pieces();
    answer.on("data", (chunk: Buffer) => {
      if (pieces.length + chunk.length <= longest) return void pieces.add(chunk);
      reject(new OutsideError(`its answer is longer than ${longest} bytes`));
      answer.destroy();
    });
    answer.on("end", () => resolve(asBuffer(pieces.takeAll()).toString("utf8")));
    answer.on("error", reject);
  });
  outgoing.on("error", reject);
  return promise;
}

/** Returns only the code of a connection failure: the text of the error may quote addresses behind names. */
function reasonOf(error: unknown): string {
  if (error instanceof ClosedTargetError) return closedTarget;
  if (error instanceof SyntaxError) return "its answer is not JSON";
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return `the connection failed${code}`;
}
