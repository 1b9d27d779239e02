// What callers prove themselves with, where it is among the metadata of messages.

import { declaredPaths } from "../../model/operations.ts";
import { asksWhoCalls, namesIn, schemeEntries } from "../../model/security.ts";
import type { Span } from "../../source/source.ts";
import type { ApiDocument, StreamNode } from "../../trees/api.ts";
import { findNode, findText } from "../../trees/document.ts";
import { endsOf, servesClients } from "./components.ts";
import { findDeclared } from "./declared.ts";
import { collectRoutes } from "./routes.ts";

/** A credential that comes with requests and becomes metadata. */
export interface Credential {
  /** The name it has as metadata. */
  readonly name: string;
  /** The security scheme that describes it, and where. */
  readonly scheme: string;
  readonly span: Span;
}

/** Headers that never become metadata of a request. */
const leftOut: ReadonlySet<string> = new Set(["authorization", "proxy-authorization", "cookie"]);

/** Whether a request's header of that name is kept from its messages. */
export function isLeftOut(name: string): boolean {
  return leftOut.has(name.toLowerCase());
}

/**
 * The keys that callers of a stream's input send, as the document's security schemes say. What the gateway
 * itself asks for it takes off; other kinds of scheme use headers that never become metadata.
 */
export function credentialsOf(stream: StreamNode, api: ApiDocument): readonly Credential[] {
  // What the gateway asks for itself never gets to a stream.
  const schemes = asksWhoCalls(api) ? [] : schemeEntries(api);
  if (schemes.length === 0 || !endsOf(stream, "input").some(servesClients)) return [];
  const required = requiredBy(stream, api);
  return schemes.flatMap(({ key, keySpan, value }) => {
    const scheme = required.has(key) ? api.references.resolve(value) : undefined;
    const place = findText(scheme, "in");
    const written = findText(scheme, "name");
    if (findText(scheme, "type") !== "apiKey" || written === undefined) return [];
    const name = place === "header" ? canonicalName(written) : written;
    return place === "header" && isLeftOut(name) ? [] : [{ name, scheme: key, span: keySpan }];
  });
}

/** The schemes asked for by the operations that declare a stream's endpoints, or else by the document. */
function requiredBy(stream: StreamNode, api: ApiDocument): ReadonlySet<string> {
  const declared = declaredPaths(api);
  const byDefault = findNode(api.root, "security");
  const inputs = collectRoutes(api).filter(
    (route) => route.stream === stream && route.component.role === "input",
  );
  const requirements = inputs.flatMap((route) => {
    const operations = findDeclared(route, declared)?.operations();
    const own = route.verbs.flatMap((verb) => operations?.get(verb) ?? []);
    return own.length === 0 ? [byDefault] : own.map(({ node }) => findNode(node, "security") ?? byDefault);
  });
  return new Set(requirements.flatMap(namesIn).map(({ key }) => key));
}

/** As headers become metadata: `x-api-key` as `X-Api-Key`. */
function canonicalName(header: string): string {
  return header.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}
