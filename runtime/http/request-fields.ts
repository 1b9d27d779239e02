// Reads headers and parameters of a request as they were sent, removes some of them, and checks what a header can hold.

import { type IncomingMessage, validateHeaderName, validateHeaderValue } from "node:http";

/** Whether HTTP can carry a header: its name is a token, and its value has no control characters (RFC 9110, section 5). */
export function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false; // Node.js throws if it is not valid
  }
}

/** Returns every value of a header as sent: Node.js joins or drops repeated headers. */
export function headerValues(
  { rawHeaders }: Pick<IncomingMessage, "rawHeaders">,
  name: string,
): readonly string[] {
  const wanted = name.toLowerCase();
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const given = rawHeaders[index] ?? "";
    if (given.length === wanted.length && given.toLowerCase() === wanted)
      values.push(rawHeaders[index + 1] ?? "");
  }
  return values;
}

/** Rewrites each occurrence of a header of a request; `undefined` removes it. */
export function rewriteHeader(
  request: IncomingMessage,
  name: string,
  rewrite: (value: string) => string | undefined,
): void {
  const wanted = name.toLowerCase();
  const { rawHeaders, headers } = request;
  if (headers[wanted] === undefined) return;
  const values: string[] = [];
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2) {
    const given = rawHeaders[index] ?? "";
    if (given.length !== wanted.length || given.toLowerCase() !== wanted) continue;
    const written = rewrite(rawHeaders[index + 1] ?? "");
    if (written === undefined) removeField(rawHeaders, index);
    else {
      rawHeaders[index + 1] = written;
      values.unshift(written);
    }
  }
  // The name stays: deleting a property makes an object slow to read.
  headers[wanted] = values.length === 0 ? undefined : values.join(wanted === "cookie" ? "; " : ", ");
}

/** Removes the name and the value at `index`: `splice` would create an array for them. */
function removeField(rawHeaders: string[], index: number): void {
  for (let next = index + 2; next < rawHeaders.length; next += 1)
    rawHeaders[next - 2] = rawHeaders[next] ?? "";
  rawHeaders.pop();
  rawHeaders.pop();
}

/** Removes a parameter from the query; the rest stays as sent. */
export function takeParameter(
  call: { readonly request: IncomingMessage; readonly url: URL; query: string },
  name: string,
): void {
  const { request, url } = call;
  if (!url.searchParams.has(name)) return;
  call.query = withoutParameter(call.query, name);
  url.search = call.query;
  request.url = `${(request.url ?? "").split("?", 1)[0]}${call.query}`;
}

function withoutParameter(query: string, name: string): string {
  const left = query
    .slice(1)
    .split("&")
    .filter((pair) => !new URLSearchParams(pair).has(name));
  return left.length === 0 ? "" : `?${left.join("&")}`;
}
