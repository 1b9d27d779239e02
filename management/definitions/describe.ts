// Describes what clients see of a stored API, with the compiler.

import type { AsyncApiDocument } from "../../compiler/compile-definition.ts";
import { refusal } from "../../runtime/rest/answers.ts";
import { readSet, readTexts } from "./apis.ts";
import { type Building, compileBeside } from "./check.ts";

/**
 * Returns an AsyncAPI document of the newest version of the API `id`. `servers`: URLs such as
 * `https://api.example.com`. Rejects with a `refusal`: 404 if the API was deleted, 409 if it is no longer valid
 * together with the others, 422 if a URL is not valid.
 */
export async function describeClientsOf(
  parts: Omit<Building, "basis">,
  id: string,
  servers: readonly string[],
): Promise<AsyncApiDocument> {
  const wrong = servers.find((url) => !/^https?:\/\/[^/?#]+/i.test(url));
  if (wrong !== undefined) {
    throw refusal(422, "Query parameters validation failed.", [`server: ${wrong} is not an address`]);
  }
  const { members } = await readSet(parts.store);
  const member = members.find((each) => each.id === id);
  const text = (await readTexts(parts.store, [id])).get(id);
  if (member === undefined || text === undefined) throw refusal(404, "Could not retrieve API detail.");
  const others = members.filter((each) => each !== member);
  const { org_id: organisation, format } = member;
  const { description } = await compileBeside(parts, { organisation }, others, (surroundings) => {
    return { ...surroundings, kind: "description", id, format, text, servers };
  });
  if (description === undefined) throw refusal(409, "The definition is no longer valid.");
  return description;
}
