// What callers prove themselves with, where it is among the metadata of messages.

import type { ApiModel } from "../../model/api.ts";
import { endsOf, servesClients } from "../../model/components.ts";
import { requirementsOf } from "../../model/operations.ts";
import { collectRoutes, findDeclared } from "../../model/routes.ts";
import type { Span } from "../../source/source.ts";
import type { ComponentNode, FieldNode, StreamNode } from "../../trees/api.ts";
import { findField, innerFields } from "../../trees/fields.ts";
import type { Mapping } from "../../trees/mapping.ts";

/** A credential that comes with requests and becomes metadata. */
interface Credential {
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
export function credentialsOf(stream: StreamNode, api: ApiModel): readonly Credential[] {
  // What the gateway asks for itself never gets to a stream.
  const { isRequired, schemes } = api.authentication;
  if (isRequired || schemes.size === 0 || !endsOf(stream, "input").some(servesClients)) return [];
  const required = requiredBy(stream, api);
  return [...schemes.values()].flatMap(({ name: scheme, nameSpan, apiKey }) => {
    if (apiKey?.name === undefined || !required.has(scheme)) return [];
    const name = apiKey.in === "header" ? canonicalName(apiKey.name) : apiKey.name;
    return apiKey.in === "header" && isLeftOut(name) ? [] : [{ name, scheme, span: nameSpan }];
  });
}

/** The schemes asked for by the operations that declare a stream's endpoints, or else by the document. */
function requiredBy(stream: StreamNode, api: ApiModel): ReadonlySet<string> {
  const byDefault = requirementsOf(api.root) ?? [];
  const inputs = collectRoutes(api).filter(
    (route) => route.stream === stream && route.component.role === "input",
  );
  const requirements = inputs.flatMap((route) => {
    const operations = findDeclared(route)?.operations();
    const own = route.verbs.flatMap((verb) => operations?.get(verb) ?? []);
    return own.length === 0 ? byDefault : own.flatMap((operation) => operation.security() ?? byDefault);
  });
  return new Set(requirements.flatMap(({ schemes }) => schemes.map(({ name }) => name)));
}

/** As headers become metadata: `x-api-key` as `X-Api-Key`. */
export function canonicalName(header: string): string {
  return header.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}

/**
 * The mappings of a pipeline in the order written, those of `switch` cases included. Of a `branch` only the
 * mapping that writes to the message: the others are about requests to other servers.
 */
export function pipelineMappings({ processors }: StreamNode): readonly Mapping[] {
  return processors.flatMap(mappingsOf);
}

function mappingsOf({ name, config }: ComponentNode): readonly Mapping[] {
  return mappingsIn(name === "branch" ? findField(config, "result_map") : config);
}

function mappingsIn(field: FieldNode | undefined): readonly Mapping[] {
  if (field?.kind === "Mapping") return [field.mapping];
  if (field?.kind === "Component") return mappingsOf(field.component);
  return field === undefined ? [] : innerFields(field).flatMap(mappingsIn);
}
