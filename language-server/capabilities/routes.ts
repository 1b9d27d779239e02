// Hovers for routes: their address, and which callers are allowed.

import type { Route } from "../../compiler/model/routes.ts";
import type { SetModel } from "../../compiler/model/set.ts";
import { callersOfRoute, planAccess, planCallers } from "../../compiler/plan/callers.ts";
import type { CallersPlan } from "../../compiler/plan/plan.ts";
import type { Span } from "../../compiler/source/source.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { isWithin } from "../analysis/positions.ts";
import { absolutePath } from "../workspace/paths.ts";
import { codeBlock } from "./markdown.ts";

/** Describes the route whose path is at an offset, as Markdown. */
export function routeAt(
  { set }: Analysis,
  path: string,
  offset: number,
): { readonly text: string; readonly span: Span } | undefined {
  const routes = (set?.routes ?? []).filter(
    ({ span }) => absolutePath(span.source.file.path) === path && isWithin(span, offset),
  );
  const [first] = routes;
  if (set === undefined || first === undefined) return undefined;
  const lines = routes.map(({ transport, verbs, path: full }) =>
    transport === "websocket" ? `WebSocket ${full}` : `${verbs.join(", ")} ${full}`,
  );
  return {
    text: [codeBlock(lines.join("\n"), "http"), ...whoCalls(first, set)].join("\n\n"),
    span: first.span,
  };
}

/**
 * Describes the callers of a route: in one line if they are the same for all methods, otherwise in a line for each
 * method.
 */
function whoCalls(route: Route, set: SetModel): readonly string[] {
  const byVerb = Object.entries(callersOfRoute(route, planCallers(route.api)));
  const texts = new Map(byVerb.map(([verb, callers]) => [verb, describeCallers(callers)]));
  const isSame = new Set(texts.values()).size === 1;
  const lines = isSame
    ? [...texts.values()].slice(0, 1)
    : [...texts].map(([verb, text]) => `${verb}: ${text}`);
  const { policies, keys } = planAccess(route.api, set);
  const names = (label: string, given: readonly string[]) => {
    const shown = given.filter((name) => name !== "").map((name) => `\`${name}\``);
    return shown.length === 0 ? [] : [`${label}: ${shown.join(", ")}.`];
  };
  return [
    lines.join("\n\n"),
    ...names("Policies with rights for the API", policies),
    ...names("Keys with rights for the API", keys),
  ];
}

function describeCallers(callers: CallersPlan): string {
  if (callers === "open") return "Anyone may call it.";
  const ways = callers.map((schemes) =>
    Object.entries(schemes)
      .map(([name, scopes]) => {
        const listed = scopes.map((scope) => `\`${scope}\``).join(", ");
        return `\`${name}\`${listed === "" ? "" : ` (scopes ${listed})`}`;
      })
      .join(" and "),
  );
  const isOptional = ways.includes("");
  const named = ways.filter((way) => way !== "").join(", or ");
  return isOptional ? `Anyone may call it; ${named} is accepted.` : `Callers authenticate by ${named}.`;
}
