// Reads which header fields belong to one connection (RFC 9110, section 7.6.1).

import { memoised } from "../text/memo.ts";

/** Returns the names in a `Connection` field, in lower case. */
export function namedIn(connection: string | undefined): ReadonlySet<string> {
  return connection === undefined ? noNames : namesIn(connection);
}

const noNames: ReadonlySet<string> = /* @__PURE__ */ new Set();

/** Cached: nearly all of them are `keep-alive`. */
const namesIn = /* @__PURE__ */ memoised(
  64,
  (connection): ReadonlySet<string> =>
    new Set(connection.split(",").map((name) => name.trim().toLowerCase())),
);

/** Whether a request makes a field, in lower case, one of its connection. `named`: the names in its `Connection`. */
export function isOfConnection(name: string, named: ReadonlySet<string>): boolean {
  return named.has(name) && !forAll.test(name);
}

/**
 * Fields that `Connection` cannot name: those of the content are for all who receive it (RFC 9110, section 7.6.1), and
 * without its type an upstream could read a body as another one than the gateway has checked. The id is the gateway's.
 */
const forAll = /^(?:content-.*|x-request-id)$/;

/**
 * Returns an error for the transfer codings of a response unless Node.js decodes them: its readers would take the encoded
 * bytes for the content. `identity` changes nothing.
 */
export function codingFault(codings: string | undefined): Error | undefined {
  const isDecoded = codings === undefined || /^(?:chunked|identity)$/i.test(codings);
  return isDecoded ? undefined : new Error(`the transfer coding ${JSON.stringify(codings)} is not supported`);
}
