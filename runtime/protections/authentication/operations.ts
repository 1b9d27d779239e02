// Operations whose requirements differ from those of their API.

import {
  createOperationTable as createTable,
  type DescribedOperation,
  isMoreParticular,
  type RoutedPath,
} from "../../http/incoming/operation-table.ts";
import type { Requirement } from "./decide.ts";

/** The requirements of an operation. */
export interface OperationSecurity extends DescribedOperation {
  readonly requirements: readonly Requirement[];
}

/** Returns lists of requirements; a request must satisfy one requirement of each list. */
export type FindRequirements = (verb: string, place: RoutedPath) => readonly (readonly Requirement[])[];

/**
 * Returns a function that finds what a request must satisfy: the requirements of its operation, or `general`. If a
 * server behind the gateway might take the request for another operation, both apply; also if a stream has a more
 * specific route for the request than the operation.
 */
export function createOperationTable(
  operations: readonly OperationSecurity[],
  general: readonly Requirement[],
): FindRequirements {
  const always = [general];
  if (operations.length === 0) return () => always;
  const find = createTable(operations);
  return (verb, place) => {
    const { own, alike } = find(verb, place);
    if (own?.isFixed === true) return [own.operation.requirements];
    const isOwn = own !== undefined && !isOfStream(place, own.operation);
    const counting = [...(own === undefined ? [] : [own]), ...alike].map(
      ({ operation }) => operation.requirements,
    );
    return [...new Set([...(isOwn ? [] : [general]), ...counting])];
  };
}

/** Whether a stream has a more specific route for the path than the operation, which then describes another path. */
function isOfStream({ routes }: RoutedPath, { path }: OperationSecurity): boolean {
  const [route] = routes === undefined ? [] : [...routes.byVerb.values(), ...routes.sockets];
  return route !== undefined && isMoreParticular(route.endpoint.path, path);
}
