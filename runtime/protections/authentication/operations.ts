// Operations that ask for something else than the rest of their API.

import {
  createOperationTable as createTable,
  type DescribedOperation,
  isMoreParticular,
  type RoutedPath,
} from "../../http/incoming/operation-table.ts";
import type { Requirement } from "./decide.ts";

/** What an operation asks for. */
export interface OperationSecurity extends DescribedOperation {
  readonly requirements: readonly Requirement[];
}

/** Lists of requirements, each of which has to be satisfied by one of its own. */
export type FindRequirements = (verb: string, place: RoutedPath) => readonly (readonly Requirement[])[];

/**
 * What requests have to satisfy: what their operation asks for, or `general`. A request that might be read as that of
 * another operation by what stands behind the gateway has to satisfy both, and so has one that a stream has a route for
 * which is more particular than the operation.
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

/** Whether a stream has a route for the path that fits better than the operation, which then describes another one. */
function isOfStream({ findRoutes }: RoutedPath, { path }: OperationSecurity): boolean {
  const routes = findRoutes()?.value;
  const [route] = routes === undefined ? [] : [...routes.byVerb.values(), ...routes.sockets];
  return route !== undefined && isMoreParticular(route.endpoint.path, path);
}
