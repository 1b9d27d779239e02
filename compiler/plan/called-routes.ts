// Every route of an API with who may call it, for people to read.

import type { ApiPlan, CallersPlan, RoutePlan } from "./plan.ts";

/** A route of a stream, or what goes to the upstream: operations with `security` of their own, and `*` for the rest. */
export interface CalledRoute {
  readonly transport: RoutePlan["transport"];
  /** With the listen path. */
  readonly path: string;
  readonly version?: string;
  /** Absent where it goes to the upstream. */
  readonly stream?: string;
  /** By verb; that of sockets is GET, and `*` is every verb. */
  readonly callers: Readonly<Record<string, CallersPlan>>;
}

/** The routes of streams in the order written, then those of the upstream. */
export function listCalledRoutes({ streams, access, listenPath, upstream }: ApiPlan): readonly CalledRoute[] {
  const routes = streams.flatMap(({ name, routes }) =>
    routes.map(({ transport, path, version, callers }): CalledRoute => {
      return { transport, path, ...(version !== undefined && { version }), stream: name, callers };
    }),
  );
  if (upstream === undefined) return routes;
  const taken = new Set(routes.map(({ path }) => shapeOf(path)));
  const passed = access.operations.flatMap(({ verb, path, callers }): CalledRoute[] => {
    const whole = listenPath + path.replace(/^\//, "");
    return taken.has(shapeOf(whole))
      ? []
      : [{ transport: "http", path: whole, callers: { [verb]: callers } }];
  });
  return [
    ...routes,
    ...passed,
    { transport: "http", path: `${listenPath}*`, callers: { "*": access.callers } },
  ];
}

function shapeOf(path: string): string {
  return path.replace(/\{[^{}]*\}/g, "{}");
}
