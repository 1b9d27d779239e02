// The credentials of callers that end up in the metadata of messages.

import type { ApiModel } from "../../model/api.ts";
import { endsOf, servesClients } from "../../model/components.ts";
import { requirementsOf } from "../../model/operations.ts";
import { optionsNamed } from "../../model/options.ts";
import { collectRoutes, findDeclared } from "../../model/routes.ts";
import type { Span } from "../../source/source.ts";
import type { ComponentNode, FieldNode, StreamNode } from "../../trees/api.ts";
import { innerFields } from "../../trees/fields.ts";
import type { Mapping } from "../../trees/mapping.ts";

/** A credential that arrives with requests and becomes metadata. */
interface Credential {
  /** The name of its metadata. */
  readonly name: string;
  /** The security scheme that describes it. */
  readonly scheme: string;
  readonly span: Span;
}

/** Headers that never become metadata of a request. */
const leftOut: ReadonlySet<string> = new Set(["authorization", "proxy-authorization", "cookie"]);

/** Whether a request header with this name is kept out of the metadata of messages. */
export function isLeftOut(name: string): boolean {
  return leftOut.has(name.toLowerCase());
}

/**
 * Returns the API keys that callers of a stream's input send, according to the security schemes of the document.
 * Credentials that the gateway itself verifies are removed from requests; other kinds of schemes use headers that never
 * become metadata.
 */
export function credentialsOf(stream: StreamNode, api: ApiModel): readonly Credential[] {
  // Credentials that the gateway verifies itself never reach a stream.
  const { isRequired, schemes } = api.authentication;
  if (isRequired || schemes.size === 0 || !endsOf(stream, "input").some(servesClients)) return [];
  const required = requiredBy(stream, api);
  return [...schemes.values()].flatMap(({ name: scheme, nameSpan, apiKey }) => {
    if (apiKey?.name === undefined || !required.has(scheme)) return [];
    const name = apiKey.in === "header" ? canonicalName(apiKey.name) : apiKey.name;
    return apiKey.in === "header" && isLeftOut(name) ? [] : [{ name, scheme, span: nameSpan }];
  });
}

/** Returns the schemes that the operations of a stream's endpoints require, or those of the document by default. */
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

/** Returns the metadata name of a header: `X-Api-Key` for `x-api-key`. */
export function canonicalName(header: string): string {
  return header.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}

/**
 * Returns the mappings of a pipeline in document order, including those of `switch` cases. Of a `branch`, only the
 * mapping that writes to the message is returned: the others concern requests to other servers.
 */
export function pipelineMappings({ processors }: StreamNode): readonly Mapping[] {
  return processors.flatMap(mappingsOf);
}

const branchOptions = optionsNamed(["result_map"]);

function mappingsOf(component: ComponentNode): readonly Mapping[] {
  return mappingsIn(
    component.name === "branch" ? branchOptions(component)?.result_map.value : component.config,
  );
}

function mappingsIn(field: FieldNode | undefined): readonly Mapping[] {
  if (field?.kind === "Mapping") return [field.mapping];
  if (field?.kind === "Component") return mappingsOf(field.component);
  return field === undefined ? [] : innerFields(field).flatMap(mappingsIn);
}
