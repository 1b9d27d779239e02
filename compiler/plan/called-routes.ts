// Lists every route of an API together with the callers it accepts, for people to read.

import type { ApiPlan, CallersPlan, RoutePlan } from "./plan.ts";

/** A route of a stream or of the upstream. Operations with `security` of their own have an entry each; `*` covers the rest. */
export interface CalledRoute {
  readonly transport: RoutePlan["transport"];
  /** The path, including the listen path. */
  readonly path: string;
  readonly version?: string;
  /** The name of the stream; absent if the route leads to the upstream. */
  readonly stream?: string;
  /** The accepted callers by verb. WebSocket routes have GET; `*` stands for every verb. */
  readonly callers: Readonly<Record<string, CallersPlan>>;
}

/** Returns the routes of the streams in the order written, then those of the upstream. */
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
